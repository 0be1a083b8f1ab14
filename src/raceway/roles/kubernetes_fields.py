"""The fields of KubeletConfiguration (kubelet.config.k8s.io/v1beta1 of 1.35), and which variable of the role owns one.

A kubelet merges a drop-in without a word about names it does not know (tried with 1.35.4), so they are checked here.
"""

from __future__ import annotations

_NAMES: dict[type, str] = {
    str: (
        "address cgroupDriver cgroupRoot clusterDomain configMapAndSecretChangeDetectionStrategy "
        "containerLogMaxSize containerLogMonitorInterval containerRuntimeEndpoint contentType cpuCFSQuotaPeriod "
        "cpuManagerPolicy cpuManagerReconcilePeriod evictionPressureTransitionPeriod fileCheckFrequency "
        "hairpinMode healthzBindAddress httpCheckFrequency imageMaximumGCAge imageMinimumGCAge "
        "imagePullCredentialsVerificationPolicy imageServiceEndpoint kubeReservedCgroup kubeletCgroups "
        "memoryManagerPolicy nodeStatusReportFrequency nodeStatusUpdateFrequency podCIDR podLogsDir providerID "
        "reservedSystemCPUs resolvConf runtimeRequestTimeout showHiddenMetricsForVersion shutdownGracePeriod "
        "shutdownGracePeriodCriticalPods staticPodPath staticPodURL streamingConnectionIdleTimeout syncFrequency "
        "systemCgroups systemReservedCgroup tlsCertFile tlsMinVersion tlsPrivateKeyFile topologyManagerPolicy "
        "topologyManagerScope volumePluginDir volumeStatsAggPeriod"
    ),
    bool: (
        "cgroupsPerQOS cpuCFSQuota enableContentionProfiling enableControllerAttachDetach "
        "enableDebugFlagsHandler enableDebuggingHandlers enableProfilingHandler enableServer "
        "enableSystemLogHandler enableSystemLogQuery failCgroupV1 failSwapOn kernelMemcgNotification "
        "localStorageCapacityIsolation makeIPTablesUtilChains mergeDefaultEvictionSettings protectKernelDefaults "
        "registerNode rotateCertificates runOnce seccompDefault serializeImagePulls serverTLSBootstrap "
        "singleProcessOOMKill"
    ),
    int: (
        "containerLogMaxFiles containerLogMaxWorkers eventBurst eventRecordQPS evictionMaxPodGracePeriod "
        "healthzPort imageGCHighThresholdPercent imageGCLowThresholdPercent iptablesDropBit "
        "iptablesMasqueradeBit kubeAPIBurst kubeAPIQPS maxOpenFiles maxParallelImagePulls maxPods "
        "nodeLeaseDurationSeconds nodeStatusMaxImages oomScoreAdj podPidsLimit podsPerCore port readOnlyPort "
        "registryBurst registryPullQPS"
    ),
    float: ("memoryThrottlingFactor"),
    dict: (
        "authentication authorization cpuManagerPolicyOptions crashLoopBackOff evictionHard "
        "evictionMinimumReclaim evictionSoft evictionSoftGracePeriod featureGates kubeReserved logging "
        "memorySwap qosReserved staticPodURLHeader systemReserved topologyManagerPolicyOptions tracing "
        "userNamespaces"
    ),
    list: (
        "allowedUnsafeSysctls clusterDNS enforceNodeAllocatable preloadedImagesVerificationAllowlist "
        "registerWithTaints reservedMemory shutdownGracePeriodByPodPriority tlsCipherSuites"
    ),
}
FIELDS: dict[str, type] = {name: kind for kind, names in _NAMES.items() for name in names.split()}
# Field → the variable that declares it, or that decides it for the whole cluster.
OWNED: dict[str, str] = {
    "cgroupDriver": "kubernetes_cgroup_driver",
    "containerRuntimeEndpoint": "nothing (containerd is the runtime)",
    "failCgroupV1": "kubernetes_cgroup_v1",
    "failSwapOn": "kubernetes_swap",
    "memorySwap": "kubernetes_swap",
    "cpuManagerPolicy": "kubernetes_cpu_manager_policy",
    "cpuManagerPolicyOptions": "kubernetes_cpu_manager_options",
    "reservedSystemCPUs": "kubernetes_reserved_cpus",
    "topologyManagerPolicy": "kubernetes_topology_manager_policy",
    "topologyManagerScope": "kubernetes_topology_manager_scope",
    "memoryManagerPolicy": "kubernetes_memory_manager_policy",
    "reservedMemory": "kubernetes_reserved_memory",
    "systemReserved": "kubernetes_system_reserved",
    "kubeReserved": "kubernetes_kube_reserved",
    "evictionHard": "kubernetes_eviction_hard",
    "imageGCHighThresholdPercent": "kubernetes_image_gc_high",
    "imageGCLowThresholdPercent": "kubernetes_image_gc_low",
    "maxPods": "kubernetes_max_pods",
    "clusterDomain": "kubernetes_dns_domain",
    "clusterDNS": "kubernetes_service_subnet",
    "registerWithTaints": "kubernetes_taints",
    "staticPodPath": "nothing (kubeadm writes it)",
}
# Options of the static CPU manager (pkg/kubelet/cm/cpumanager/policy_options.go); alpha ones behind a feature gate.
ALPHA_GATE = "CPUManagerPolicyAlphaOptions"
ALPHA_OPTIONS = ("align-by-socket", "distribute-cpus-across-cores")
CPU_OPTIONS = (
    *("full-pcpus-only", "strict-cpu-reservation", "distribute-cpus-across-numa", "prefer-align-cpus-by-uncorecache"),
    *ALPHA_OPTIONS,
)

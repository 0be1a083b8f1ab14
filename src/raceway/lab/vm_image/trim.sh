# Part of build.sh: takes from the guest what a boot pays for and no node of a lab needs. Emulation makes a program's start
# cost ten times what it does on a CPU, so a boot is as long as the list of what it starts: with this 18 CPU-seconds, 38
# without. What roles work on stays: networkd, sysctl, modules, sshd with PAM, journal, mounts of debugfs and configfs.

# Timers would change files behind a test's back; the rest has nothing to work on, or waits for what never comes.
MASKED=(apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer man-db.timer
  mdcheck_start.timer mdcheck_continue.timer mdmonitor-oneshot.timer xfs_scrub_all.timer systemd-tmpfiles-clean.timer
  e2scrub_reap.service system-xfs_scrub.slice blk-availability.service dm-event.socket lvm2-lvmpolld.socket
  uuidd.socket nvmefc-boot-connections.service sshd-keygen.service ldconfig.service
  # Nobody sits at a console, and the initrd has mounted the root disk as fstab says.
  getty@tty1.service getty-static.service serial-getty@ttyS0.service systemd-remount-fs.service
  systemd-ask-password-console.path systemd-ask-password-wall.path
  # State over boots that is here given from outside or kept by nobody.
  systemd-random-seed.service systemd-machine-id-commit.service systemd-update-done.service systemd-firstboot.service
  systemd-sysusers.service systemd-journal-catalog-update.service systemd-journal-flush.service
  systemd-hwdb-update.service systemd-pstore.service systemd-hibernate-clear.service
  systemd-networkd-wait-online.service systemd-networkd-persistent-storage.service systemd-network-generator.service
  systemd-udev-load-credentials.service systemd-battery-check.service
  # No TPM, no extensions, no foreign binaries, no FUSE; devtmpfs makes all nodes there are.
  systemd-tpm2-setup-early.service systemd-tpm2-setup.service systemd-pcrmachine.service systemd-pcrphase.service
  systemd-pcrphase-sysinit.service systemd-pcrextend.socket systemd-pcrlock.socket systemd-creds.socket
  systemd-sysext.socket systemd-hostnamed.socket systemd-initctl.socket systemd-binfmt.service
  proc-sys-fs-binfmt_misc.automount sys-fs-fuse-connections.mount sys-kernel-tracing.mount dev-mqueue.mount
  run-lock.mount kmod-static-nodes.service systemd-tmpfiles-setup-dev-early.service systemd-tmpfiles-setup-dev.service
  modprobe@configfs.service modprobe@drm.service modprobe@efi_pstore.service modprobe@fuse.service
  # A login would start an instance of systemd for root, and a daemon that counts seats.
  systemd-logind.service systemd-user-sessions.service user@.service)
OFF=(systemd-networkd-wait-online.service lldpad.service lldpad.socket lvm2-monitor.service nvmf-autoconnect.service
  rpcbind.service rpcbind.socket)
# What a boot announces to udev once more; on a node with nothing but virtio, NICs and NVMe the rest is terminals,
# memory blocks and ACPI: 500 of 600 devices.
COLD=(module pci virtio net nvme block)
# udev's rules for what no node has; each file is read at every start of udev.
RULES=(60-autosuspend 60-cdrom_id 60-drm 60-evdev 60-fido-id 60-input-id 60-persistent-alsa 60-persistent-input
  60-persistent-storage-mtd 60-persistent-storage-tape 60-persistent-v4l 60-sensor 64-btrfs 65-persistent-net-nbft
  70-camera 70-joystick 70-memory 70-mouse 70-nvmf-autoconnect 70-nvmf-keys 70-power-switch 70-touchpad 70-uaccess
  71-nvmf-netapp 71-seat 73-seat-late 75-probe_mtd 78-sound-card 90-iocost 96-e2scrub)

trim_units() {
  local generator
  root_run systemctl -q disable "${OFF[@]}" 2>/dev/null || true
  root_run systemctl -q mask "${MASKED[@]}"
  rm -f "$root"/usr/lib/systemd/system/multi-user.target.wants/{dbus,systemd-logind}.service  # dbus has its socket
  mkdir -p "$root/etc/systemd/system-generators"
  for generator in "$root"/usr/lib/systemd/system-generators/*; do
    [ "${generator##*/}" = systemd-fstab-generator ] ||
      ln -s /dev/null "$root/etc/systemd/system-generators/${generator##*/}"
  done
  ln -s /dev/null "$root/etc/tmpfiles.d/systemd-nologin.conf"
  drop_in ssh.service 'ExecStartPre='
  drop_in systemd-udev-trigger.service ExecStart= \
    "ExecStart=udevadm trigger --type=all --action=add $(printf -- '--subsystem-match=%s ' "${COLD[@]}")"
}

# In /usr, where a distribution's own drop-ins are: /etc belongs to the roles.
drop_in() {
  local folder=$root/usr/lib/systemd/system/$1.d
  mkdir -p "$folder"
  shift
  { echo '[Service]'; printf '%s\n' "$@"; } > "$folder/50-raceway-lab.conf"
}

trim_udev() {
  local kind
  for kind in "${RULES[@]}"; do
    ln -s /dev/null "$root/etc/udev/rules.d/$kind.rules"
  done
}

# Once here instead of at each load of each boot.
unpack_modules() {
  find "$root/lib/modules/" -name '*.ko.xz' -exec xz -d {} +
  root_run depmod "$kver"
}

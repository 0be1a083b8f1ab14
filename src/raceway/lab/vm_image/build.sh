#!/bin/bash
# Builds the guest image of VM nodes: build.sh OUT     (root; about a minute)
# OUT, an empty folder, gets root.img (sparse ext4), vmlinux, initrd.img and kver. From the environment: SUITE, SIZE, and
# MIRROR (empty: mmdebstrap's own choice, which adds updates and security). raceway.lab.vm.image calls it in mount and
# process namespaces of its own and takes OUT away when it fails.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

PKGS=(systemd systemd-sysv udev dbus openssh-server sudo python3 python3-apt ca-certificates procps iputils-ping less
  iproute2 ethtool rdma-core ibverbs-utils ibverbs-providers rdmacm-utils
  infiniband-diags perftest nvme-cli mdadm xfsprogs lvm2 e2fsprogs fio iperf3
  tcpdump numactl kmod pciutils lldpad linux-image-amd64)
# Drivers that no VM node has: two thirds of the kernel package.
DROP=(drivers/gpu drivers/media drivers/net/wireless drivers/staging drivers/iio
  drivers/bluetooth drivers/usb drivers/hid drivers/input drivers/platform
  drivers/scsi drivers/ata drivers/isdn drivers/comedi drivers/firewire sound
  net/bluetooth net/wireless net/mac80211 drivers/hwmon drivers/leds drivers/mfd
  drivers/video drivers/accel fs/btrfs fs/ocfs2 fs/ceph fs/gfs2 fs/jfs fs/smb
  fs/ntfs3 fs/f2fs fs/bcachefs drivers/net/usb drivers/net/can drivers/char/tpm)
# shellcheck source=trim.sh
. "$here/trim.sh"

root_run() { chroot "$root" env LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }

# The kernel as it is in memory: to decompress it would cost an emulated machine a second of every boot.
unpacked_kernel() {
  local image=$root/boot/vmlinuz-$kver at length
  # Linux boot protocol, offsets 0x1f1, 0x248 and 0x24c: sectors of set-up, place of the payload behind them, its length;
  # the payload's last four bytes are the size it unpacks to.
  at=$((($(field "$image" 497 1) + 1) * 512 + $(field "$image" 584 4)))
  length=$(($(field "$image" 588 4) - 4))
  head -c "$((at + length))" "$image" | tail -c "$length" > "$root/boot/payload"
  root_run sh -c "zstd -dc /boot/payload || xz -dc /boot/payload" > "$out/vmlinux" 2>/dev/null
  rm "$root/boot/payload"
}

field() { od -An -tu"$3" -j"$2" -N"$3" "$1"; }

# Our modules, and the initrd: init with just the modules that the root disk needs, and the one that mends its NICs.
kernel_parts() {
  local src=$root/usr/src/dcbtest initrd=$root/usr/src/dcbtest/initrd file base
  echo "kernel module and initrd"
  root_run apt-get -qq -y install --no-install-recommends "linux-headers-$kver" make libc6-dev zstd \
    >/dev/null
  mkdir -p "$initrd/m"
  cp "$here"/dcbtest/* "$here/init.c" "$src/"
  unpack_modules
  root_run make -s -C /usr/src/dcbtest KVER="$kver" install
  root_run strip --strip-debug "/lib/modules/$kver/updates/"{dcbtest,keepmac}.ko
  root_run sh -c 'exec $(ls /usr/bin/gcc-[0-9]* | head -n 1) -Os -static -s -o "$1" "$2"' sh \
    /usr/src/dcbtest/initrd/init /usr/src/dcbtest/init.c
  root_run sh -c "for m in virtio_pci virtio_blk crc32c_generic ext4 keepmac; do
      modprobe -S $kver --show-depends \$m; done" | awk '$1=="insmod" && !s[$2]++ {print $2}' |
    while read -r file; do
      base=$(basename "$file")
      cp "$root$file" "$initrd/m/$base"
      echo "/m/$base" >> "$initrd/modules.list"
    done
  [ -s "$initrd/modules.list" ]
  root_run sh -c 'cd /usr/src/dcbtest/initrd && find . | cpio -o -H newc --quiet' > "$out/initrd.img"
  rm -rf "$src"
  unpacked_kernel
  echo "$kver" > "$out/kver"
  root_run apt-get -qq -y purge --auto-remove "linux-headers-*" make libc6-dev zstd "binutils*" >/dev/null
  rm -f "$root"/boot/System.map*
}

network() {
  local number=0 bus
  # Management: the fixed address of QEMU's user network, so nothing waits for DHCP.
  cat > "$root/etc/systemd/network/10-mgmt.network" <<'N'
[Match]
Path=pci-0000:00:03.0
[Network]
Address=10.0.2.15/24
Gateway=10.0.2.2
DNS=10.0.2.3
LinkLocalAddressing=no
IPv6AcceptRA=no
N
  # Data NICs by their place, not by their MAC: roce0 has its carrier's. raceway.lab.vm.qemu puts them there.
  for bus in 21 41 22 42; do
    printf '[Match]\nPath=*pci-0000:%s:00.0*\n[Link]\nName=data%s\nMACAddressPolicy=none\n' "$bus" "$number" \
      > "$root/etc/systemd/network/20-data$number.link"
    number=$((number + 1))
  done
}

settings() {
  echo "guest settings"
  touch "$root/etc/default/locale"
  echo lab > "$root/etc/hostname"
  printf '127.0.0.1 localhost\n::1 localhost\n' > "$root/etc/hosts"
  printf '/dev/vda / ext4 noatime 0 0\n' > "$root/etc/fstab"
  echo 6c61620000000000000000000000c0de > "$root/etc/machine-id"  # each VM's own is on its kernel command line
  # Keys come with the initrd of each VM (init.c), so the client knows them before the first contact.
  rm -f "$root"/etc/ssh/ssh_host_*
  install -m 644 "$here/sshd.conf" "$root/etc/ssh/sshd_config.d/00-raceway-lab.conf"
  network
  rm -f "$root/etc/resolv.conf"
  echo 'nameserver 10.0.2.3' > "$root/etc/resolv.conf"
  # Tells the host when the boot is over, and which boot it is: to ask over ssh again and again would slow it down.
  install -m 644 "$here/raceway-lab-up.service" "$root/usr/lib/systemd/system/"
  root_run systemctl -q enable systemd-networkd ssh raceway-lab-up
  trim_units
  trim_udev
  # Kernel parameters by the usual file and command; the guard passes them on at a reboot.
  printf 'GRUB_CMDLINE_LINUX_DEFAULT=""\nGRUB_CMDLINE_LINUX=""\n' > "$root/etc/default/grub"
  mkdir -p "$root/etc/default/grub.d"
  install -m 755 "$here/update-grub" "$root/usr/sbin/update-grub"
  touch "$root/etc/.updated" "$root/var/.updated"  # else the first boot runs ldconfig, sysusers and the like
}

# Second half: mmdebstrap runs this script again inside, with the new root.
if [ "${1:-}" = --hook ]; then
  out=$2 root=$3
  kver=$(ls "$root/lib/modules")
  kernel_parts
  settings
  exit
fi

out=$(cd "${1:?build.sh OUT}" && pwd)
root=$out/rootfs
opts=()
for folder in "${DROP[@]}"; do
  opts+=(--dpkgopt="path-exclude=/lib/modules/*/kernel/$folder/*"
         --dpkgopt="path-exclude=/usr/lib/modules/*/kernel/$folder/*")
done
for folder in doc man locale info lintian bug; do opts+=(--dpkgopt="path-exclude=/usr/share/$folder/*"); done
echo "packages of Debian $SUITE"
# INITRD=No: initramfs-tools comes with the kernel package but builds nothing here.
INITRD=No mmdebstrap --mode=root --variant=minbase "${opts[@]}" \
  --include="$(IFS=,; echo "${PKGS[*]}")" \
  --customize-hook="bash '$here/build.sh' --hook '$out' \"\$1\"" \
  "$SUITE" "$root" ${MIRROR:+"$MIRROR"}
echo "file system image"
mke2fs -q -t ext4 -L labroot -m 0 -O ^metadata_csum_seed,^orphan_file \
  -E lazy_itable_init=1,lazy_journal_init=1 -J size=32 -d "$root" "$out/root.img" "$SIZE"
rm -rf --one-file-system "$root"
chmod 444 "$out"/*

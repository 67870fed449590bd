#!/bin/sh
# The camera code on real kernel drivers without a camera: a virtual machine with the kernel's own test camera (vivid).
# It sees this machine's files read-only. Takes about a minute; needs root for nothing but the packages:
#   apt-get install qemu-system-x86 busybox-static cpio kmod v4l-utils
#   apt-get download linux-image-VERSION-amd64 && dpkg-deb -x linux-image-*.deb KERNEL
# usage: run.sh KERNEL PYTHON      KERNEL: the unpacked kernel package; PYTHON: one that has Boardref's dependencies
set -eu
kernel=$(realpath "$1") python=$2
here=$(dirname "$(realpath "$0")") code=$(realpath "$(dirname "$0")/../../..")
version=$(ls "$kernel/lib/modules")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
depmod -b "$kernel" "$version"

mkdir -p "$work/root/bin" "$work/root/mods" "$work/root/proc" "$work/root/sys" "$work/root/new"
cp "$(command -v busybox)" "$work/root/bin/"
for module in virtio_pci 9pnet_virtio 9p; do
    modprobe -d "$kernel" -S "$version" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' > "$work/modules"
{
    echo '#!/bin/busybox sh'
    echo 'PATH=/bin; /bin/busybox mount -t proc p /proc; /bin/busybox mount -t sysfs s /sys'
    while read -r file; do
        cp "$file" "$work/root/mods/"
        echo "/bin/busybox insmod /mods/$(basename "$file")"
    done < "$work/modules"
    echo '/bin/busybox mount -t 9p -o ro,trans=virtio,version=9p2000.L,cache=loose,msize=262144 host /new'
    echo 'for what in devtmpfs:/dev proc:/proc sysfs:/sys tmpfs:/run; do'
    echo '    /bin/busybox mount -t "${what%%:*}" x "/new${what#*:}"'
    echo 'done'
    echo "exec /bin/busybox chroot /new /bin/sh -c 'export HOME=/run TMPDIR=/run PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$code" \
        "PATH=/usr/sbin:/usr/bin:/sbin:/bin; modprobe -d $kernel -S $version vivid n_devs=2 node_types=0x1,0x1;" \
        "$python $here/inside.py; echo ended \$?; busybox poweroff -f'"
} > "$work/root/init"
chmod +x "$work/root/init"
(cd "$work/root" && find . | cpio -o -H newc 2>/dev/null | gzip -1) > "$work/initrd"

timeout 600 qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 1500 -nographic -no-reboot \
    -kernel "$kernel/boot/vmlinuz-$version" -initrd "$work/initrd" -append "console=ttyS0 quiet panic=-1" \
    -fsdev local,id=h,path=/,security_model=none,readonly=on,multidevs=remap \
    -device virtio-9p-pci,fsdev=h,mount_tag=host < /dev/null > "$work/log" 2>&1 || true
tr -d '\r' < "$work/log"
grep -q '^ended 0' "$work/log"

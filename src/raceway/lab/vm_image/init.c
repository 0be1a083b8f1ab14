/* First process of a VM node's initrd: loads the listed modules, mounts the root disk, puts the files of /seed (the
 * node's ssh keys) into /run/raceway-lab and hands over to systemd. Static, no shell, no udev. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void die(const char *what) { perror(what); sleep(5); _exit(1); }

static void copy(const char *name)
{
	static char data[65536];
	char from[512], to[512];
	struct stat st;
	ssize_t len;
	int in, out;

	snprintf(from, sizeof(from), "/seed/%s", name);
	snprintf(to, sizeof(to), "/root/run/raceway-lab/%s", name);
	in = open(from, O_RDONLY | O_CLOEXEC);
	if (in < 0 || fstat(in, &st) || !S_ISREG(st.st_mode)) {
		close(in);
		return;
	}
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, st.st_mode & 0777);
	len = read(in, data, sizeof(data));
	if (out < 0 || len < 0 || write(out, data, len) != len)
		perror(to);
	close(out);
	close(in);
}

/* systemd keeps a /run that is mounted already, as it does when an initrd of its own hands over. */
static void seed(void)
{
	struct dirent *e;
	DIR *d = opendir("/seed");

	if (!d)
		return;
	if (mount("tmpfs", "/root/run", "tmpfs", MS_NOSUID | MS_NODEV | MS_STRICTATIME, "mode=0755,size=20%"))
		die("mount /run");
	mkdir("/root/run/raceway-lab", 0755);
	while ((e = readdir(d)))
		copy(e->d_name);
	closedir(d);
}

int main(void)
{
	static char cmd[8192];
	char line[256], *dev = "/dev/vda", *p;
	FILE *f = fopen("/modules.list", "r");
	int fd, i, err = 0;

	umask(0);
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		fd = open(line, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			perror(line);
		close(fd);
	}
	mkdir("/dev", 0755);
	mkdir("/proc", 0555);
	mkdir("/root", 0755);
	mount("devtmpfs", "/dev", "devtmpfs", 0, "mode=0755");
	mount("proc", "/proc", "proc", 0, NULL);
	fd = open("/proc/cmdline", O_RDONLY);
	if (fd >= 0 && read(fd, cmd, sizeof(cmd) - 1) > 0 && (p = strstr(cmd, "root=/"))) {
		dev = p + 5;
		dev[strcspn(dev, " \n")] = 0;
	}
	close(fd);
	umount("/proc");
	for (i = 0; i < 1000; i++, usleep(10000))
		if (!(err = mount(dev, "/root", "ext4", MS_NOATIME, NULL)))
			break;
	if (err)
		die("mount root");
	seed();
	umask(022);
	mount("/dev", "/root/dev", NULL, MS_MOVE, NULL);
	if (chdir("/root") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		die("switch root");
	execl("/sbin/init", "/sbin/init", (char *)NULL);
	die("exec init");
}

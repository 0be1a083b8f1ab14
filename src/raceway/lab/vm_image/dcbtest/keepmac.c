// SPDX-License-Identifier: GPL-2.0
/* Lets an emulated vmxnet3 keep the MAC address that it was given while it was down, as a bond gives it to its members.
 *
 * Every NIC takes its address up when it is opened. QEMU's vmxnet3 goes back to the one it was made with instead (its
 * activate command does; seen with 7.2) and drops what is sent to the new one. So it is told again, after each event
 * that activates it. May go when QEMU's vmxnet3 forgets its address at a reset alone. */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/netdevice.h>

static bool forgets(const struct net_device *dev)
{
	const struct device *parent = dev->dev.parent;

	return parent && parent->driver && !strcmp(parent->driver->name, "vmxnet3");
}

static int tell(struct notifier_block *block, unsigned long event, void *data)
{
	struct net_device *dev = netdev_notifier_info_to_dev(data);
	struct sockaddr_storage address = { .ss_family = dev->type };

	if (event != NETDEV_UP && event != NETDEV_CHANGEMTU && event != NETDEV_FEAT_CHANGE)
		return NOTIFY_DONE;
	if (!netif_running(dev) || !forgets(dev))
		return NOTIFY_DONE;
	memcpy(address.__data, dev->dev_addr, dev->addr_len);
	if (dev->netdev_ops->ndo_set_mac_address(dev, &address))
		netdev_err(dev, "keepmac: the address was not taken\n");
	return NOTIFY_OK;
}

static struct notifier_block block = { .notifier_call = tell };

static int __init keepmac_init(void)
{
	return register_netdevice_notifier(&block);
}

static void __exit keepmac_exit(void)
{
	unregister_netdevice_notifier(&block);
}

module_init(keepmac_init);
module_exit(keepmac_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("vmxnet3 of QEMU keeps its MAC address when it is opened");

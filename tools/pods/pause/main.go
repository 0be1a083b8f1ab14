// pause holds a pod's namespaces while its containers come and go, and reaps orphans when it is their first process.
//
// It deliberately does nothing else: it opens no file and no socket, and ends at once when it is told to.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Set by the linker.
var version = "unknown"

func main() {
	if len(os.Args) > 1 && os.Args[1] == "-v" {
		fmt.Println("pause", version)
		return
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			os.Exit(0)
		}
		// Signals of children that end together are merged into one: reap until nobody is left.
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if pid <= 0 || err != nil {
				break
			}
		}
	}
}

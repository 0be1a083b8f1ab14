// device-plugin gives a node pretend accelerators: real allocations by a real kubelet, of devices that do not exist.
//
// usage: device-plugin RESOURCE COUNT [FOLDER]
//
// A file FOLDER/N makes device N unhealthy for as long as it is there. A container that gets devices finds their names
// in RACEWAY_DEVICES. It deliberately touches no device node: what a workload does on a real device is not its subject.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const (
	endpoint = "raceway-devices.sock"
	poll     = time.Second
)

// Set by the linker.
var version = "unknown"

type plugin struct {
	api.UnimplementedDevicePluginServer
	count  int
	folder string
}

func (*plugin) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{}, nil
}

func (p *plugin) devices() []*api.Device {
	found := make([]*api.Device, p.count)
	for number := range found {
		health := api.Healthy
		if p.folder != "" {
			if _, err := os.Stat(filepath.Join(p.folder, strconv.Itoa(number))); err == nil {
				health = api.Unhealthy
			}
		}
		found[number] = &api.Device{ID: fmt.Sprintf("device-%d", number), Health: health}
	}
	return found
}

// ListAndWatch tells the kubelet all devices once, and again when the health of one has changed.
func (p *plugin) ListAndWatch(_ *api.Empty, stream grpc.ServerStreamingServer[api.ListAndWatchResponse]) error {
	told := ""
	for {
		devices := p.devices()
		if now := fmt.Sprint(devices); now != told {
			if err := stream.Send(&api.ListAndWatchResponse{Devices: devices}); err != nil {
				return err
			}
			told = now
		}
		select {
		case <-stream.Context().Done():
			return nil
		case <-time.After(poll):
		}
	}
}

func (*plugin) Allocate(_ context.Context, asked *api.AllocateRequest) (*api.AllocateResponse, error) {
	given := &api.AllocateResponse{}
	for _, container := range asked.ContainerRequests {
		names := slices.Sorted(slices.Values(container.DevicesIds))
		given.ContainerResponses = append(given.ContainerResponses, &api.ContainerAllocateResponse{
			Envs: map[string]string{"RACEWAY_DEVICES": strings.Join(names, ",")},
		})
	}
	return given, nil
}

// serve registers with the kubelet and serves until the kubelet has emptied the folder of sockets, as it does when it
// starts: then a plugin is to register anew.
func (p *plugin) serve(resource string) error {
	socket := filepath.Join(api.DevicePluginPath, endpoint)
	if err := os.Remove(socket); err != nil && !os.IsNotExist(err) {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	api.RegisterDevicePluginServer(server, p)
	go server.Serve(listener)
	defer server.Stop()
	if err := register(resource); err != nil {
		return err
	}
	log.Printf("registered %d devices as %s", p.count, resource)
	for {
		time.Sleep(poll)
		if _, err := os.Stat(socket); err != nil {
			return nil
		}
	}
}

func register(resource string) error {
	connection, err := grpc.NewClient("unix://"+api.KubeletSocket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request := &api.RegisterRequest{Version: api.Version, Endpoint: endpoint, ResourceName: resource}
	_, err = api.NewRegistrationClient(connection).Register(ctx, request)
	return err
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "-v" {
		fmt.Println("device-plugin", version)
		return
	}
	if len(os.Args) < 3 {
		log.Fatal("usage: device-plugin RESOURCE COUNT [FOLDER]")
	}
	count, err := strconv.Atoi(os.Args[2])
	if err != nil || count < 1 {
		log.Fatalf("COUNT is %q, allowed: a number from 1", os.Args[2])
	}
	p := &plugin{count: count}
	if len(os.Args) > 3 {
		p.folder = os.Args[3]
	}
	for {
		// A kubelet that is not there yet, or is restarting, is no reason to end.
		if err := p.serve(os.Args[1]); err != nil {
			log.Print(err)
			time.Sleep(poll)
		}
	}
}

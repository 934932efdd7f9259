// A client-go informer of Pods, as the peer of ours: informer_peer KUBECONFIG NAMESPACE.
//
// Prints a line of JSON when it has synced, and one for each line of standard input: the number of objects, the number of events, and the
// resources that the process has used. Ends at the end of its input.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

type report struct {
	Objects       int     `json:"objects"`
	Events        int64   `json:"events"`
	CPUSeconds    float64 `json:"cpuSeconds"`
	ResidentBytes int64   `json:"residentBytes"`
}

func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func resident() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	for _, line := range strings.Split(string(status), "\n") {
		var kilobytes int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
			return kilobytes << 10
		}
	}
	return 0
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		panic(err)
	}
	config.ContentType = "application/json"
	if len(os.Args) > 3 && os.Args[3] == "protobuf" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	client := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(os.Args[2]))
	informer := factory.Core().V1().Pods().Informer()
	// Drop managedFields, as our informer does.
	if err := informer.SetTransform(func(object any) (any, error) {
		if accessor, ok := object.(metav1.Object); ok {
			accessor.SetManagedFields(nil)
		}
		return object, nil
	}); err != nil {
		panic(err)
	}
	var events atomic.Int64
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { events.Add(1) },
		UpdateFunc: func(any, any) { events.Add(1) },
		DeleteFunc: func(any) { events.Add(1) },
	}); err != nil {
		panic(err)
	}
	stop := make(chan struct{})
	factory.Start(stop)
	cache.WaitForCacheSync(stop, informer.HasSynced)
	print := func() {
		line, _ := json.Marshal(report{len(informer.GetStore().ListKeys()), events.Load(), cpu(), resident()})
		fmt.Println(string(line))
	}
	print()
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		if input.Text() == "memory" {
			// Measure without garbage that the collector has not freed yet.
			debug.FreeOSMemory()
			time.Sleep(time.Second)
		}
		print()
	}
}

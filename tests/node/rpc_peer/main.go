// Calls tests/node/rpc_server as kubelet calls a node agent, with Kubernetes' own stubs on grpc-go, and dials in kubelet's two ways.
//
//	rpc_peer SERVER [PREPARES]
//
// Starts SERVER, prints how long calls take, and fails at the first answer that kubelet could not use.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	health "k8s.io/kubelet/pkg/apis/dra-health/v1alpha1"
	dra "k8s.io/kubelet/pkg/apis/dra/v1"
	drabeta "k8s.io/kubelet/pkg/apis/dra/v1beta1"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// The server's process, its sockets, and the lines that it prints.
type server struct {
	command *exec.Cmd
	stdin   io.Closer
	lines   chan string
	paths   map[string]string
}

func start(program, directory string) (*server, error) {
	s := &server{command: exec.Command(program, directory), lines: make(chan string, 1000), paths: map[string]string{}}
	s.command.Stderr = os.Stderr
	var err error
	if s.stdin, err = s.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(s.lines)
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			s.lines <- scanner.Text()
		}
	}()
	for _, name := range []string{"service", "registration"} {
		line, err := s.await(name + ": ")
		if err != nil {
			return nil, err
		}
		s.paths[name] = line
	}
	return s, nil
}

// Returns the rest of the next line that begins with prefix.
func (s *server) await(prefix string) (string, error) {
	deadline := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				return "", fmt.Errorf("the server ended before it said %q", prefix)
			}
			if rest, found := strings.CutPrefix(line, prefix); found {
				return rest, nil
			}
		case <-deadline:
			return "", fmt.Errorf("the server did not say %q", prefix)
		}
	}
}

func patience(limit time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	context.AfterFunc(ctx, cancel)
	return ctx
}

func expect(what string, ok bool, got any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s: got %v", what, got)
}

// Dials like kubelet's plugin manager: the bare path with a dialer of its own, so that :authority is the percent-encoded path.
func register(path string) error {
	connection, err := grpc.DialContext(patience(10*time.Second), path, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithBlock(),
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", address)
		}))
	if err != nil {
		return err
	}
	defer connection.Close()
	client := registration.NewRegistrationClient(connection)
	info, err := client.GetInfo(patience(time.Second), &registration.InfoRequest{})
	if err != nil {
		return fmt.Errorf("GetInfo: %w", err)
	}
	if err := expect("GetInfo", info.Type == registration.DRAPlugin && info.Name == "gpu.allot" && filepath.IsAbs(info.Endpoint) &&
		info.SupportedVersions[0] == dra.DRAPluginService, info); err != nil {
		return err
	}
	_, err = client.NotifyRegistrationStatus(patience(5*time.Second), &registration.RegistrationStatus{PluginRegistered: true})
	return err
}

func claims(name string, first, count int) []*dra.Claim {
	var list []*dra.Claim
	for i := first; i < first+count; i++ {
		list = append(list, &dra.Claim{Namespace: "default", Name: name, Uid: fmt.Sprintf("00000000-0000-4000-8000-%012d", i)})
	}
	return list
}

func prepare(client dra.DRAPluginClient, first, count int) error {
	request := &dra.NodePrepareResourcesRequest{Claims: claims("train", first, count)}
	answer, err := client.NodePrepareResources(patience(45*time.Second), request)
	if err != nil {
		return err
	}
	if err := expect("claims", len(answer.Claims) == count, len(answer.Claims)); err != nil {
		return err
	}
	for _, claim := range request.Claims {
		device := answer.Claims[claim.Uid].GetDevices()[0]
		if err := expect("device", device.DeviceName == "gpu-0" && device.GetShareId() == "s-"+claim.Uid &&
			slices.Equal(device.CdiDeviceIds, []string{"gpu.allot/claim=" + claim.Uid}), device); err != nil {
			return err
		}
	}
	return nil
}

func many(client dra.DRAPluginClient, count int) error {
	took := make([]time.Duration, 0, count)
	begun := time.Now()
	for i := range count {
		before := time.Now()
		if err := prepare(client, i, 1); err != nil {
			return err
		}
		took = append(took, time.Since(before))
	}
	total := time.Since(begun)
	slices.Sort(took)
	fmt.Printf("%d prepares: mean %v, p50 %v, p99 %v, max %v\n", count, total/time.Duration(count), took[count/2], took[count*99/100], took[count-1])
	return nil
}

func burst(client dra.DRAPluginClient, count int) error {
	errs := make([]error, count)
	var group sync.WaitGroup
	begun := time.Now()
	for i := range count {
		group.Go(func() { errs[i] = prepare(client, i, 1) })
	}
	group.Wait()
	fmt.Printf("%d prepares at once: %v\n", count, time.Since(begun))
	return errors.Join(errs...)
}

func big(client dra.DRAPluginClient) error {
	begun := time.Now()
	if err := prepare(client, 0, 20_000); err != nil {
		return err
	}
	fmt.Printf("20000 claims in one message: %v\n", time.Since(begun))
	_, err := client.NodePrepareResources(patience(45*time.Second), &dra.NodePrepareResourcesRequest{Claims: claims("train", 0, 100_000)})
	return expect("a message beyond the limit", status.Code(err) == codes.ResourceExhausted, err)
}

func failures(connection *grpc.ClientConn, client dra.DRAPluginClient) error {
	_, err := client.NodePrepareResources(patience(45*time.Second), &dra.NodePrepareResourcesRequest{Claims: claims("exhausted", 7, 1)})
	if err := expect("exhausted", status.Code(err) == codes.ResourceExhausted &&
		strings.Contains(status.Convert(err).Message(), "100 % of 24 GiB – claim 00000000"), err); err != nil {
		return err
	}
	err = connection.Invoke(patience(10*time.Second), "/k8s.io.kubelet.pkg.apis.dra.v2.DRAPlugin/NodePrepareResources",
		&dra.NodePrepareResourcesRequest{}, &dra.NodePrepareResourcesResponse{})
	if err := expect("unimplemented", status.Code(err) == codes.Unimplemented, err); err != nil {
		return err
	}
	beta, err := drabeta.NewDRAPluginClient(connection).NodeUnprepareResources(patience(10*time.Second),
		&drabeta.NodeUnprepareResourcesRequest{Claims: []*drabeta.Claim{{Uid: "x"}}})
	return errors.Join(err, expect("v1beta1", len(beta.GetClaims()) == 1, beta))
}

func impatience(s *server, client dra.DRAPluginClient) error {
	_, err := client.NodePrepareResources(patience(200*time.Millisecond), &dra.NodePrepareResourcesRequest{Claims: claims("blocked", 1, 1)})
	if err := expect("a deadline", status.Code(err) == codes.DeadlineExceeded, err); err != nil {
		return err
	}
	if _, err := s.await("gave up: 00000000-0000-4000-8000-000000000001"); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = s.await("waits: 00000000-0000-4000-8000-000000000002")
		cancel()
	}()
	_, err = client.NodePrepareResources(ctx, &dra.NodePrepareResourcesRequest{Claims: claims("blocked", 2, 1)})
	if err := expect("a cancel", status.Code(err) == codes.Canceled, err); err != nil {
		return err
	}
	_, err = s.await("gave up: 00000000-0000-4000-8000-000000000002")
	return err
}

// 60 waiting calls do not delay another one.
func crowd(s *server, client dra.DRAPluginClient) error {
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	for i := range 60 {
		group.Go(func() {
			_, _ = client.NodePrepareResources(ctx, &dra.NodePrepareResourcesRequest{Claims: claims("blocked", 1000+i, 1)})
		})
	}
	for range 60 {
		if _, err := s.await("waits: 00000000-0000-4000-8000-000000001"); err != nil {
			return err
		}
	}
	begun := time.Now()
	err := prepare(client, 0, 1)
	fmt.Printf("a prepare beside 60 that wait: %v\n", time.Since(begun))
	return err
}

func watch(connection *grpc.ClientConn) (health.DRAResourceHealth_NodeWatchResourcesClient, error) {
	stream, err := health.NewDRAResourceHealthClient(connection).NodeWatchResources(context.Background(), &health.NodeWatchResourcesRequest{})
	if err != nil {
		return nil, err
	}
	last := -1
	for range 5 {
		update, err := stream.Recv()
		if err != nil {
			return nil, err
		}
		round, err := strconv.Atoi(strings.TrimPrefix(update.Devices[0].Message, "round "))
		healthy := update.Devices[0].Health == health.HealthStatus_HEALTHY
		if err := errors.Join(err, expect("health", round > last && healthy == (round%2 == 0), update)); err != nil {
			return nil, err
		}
		last = round
	}
	return stream, nil
}

func run(program string, prepares int) error {
	directory, err := os.MkdirTemp("", "rpc_peer")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	s, err := start(program, directory)
	if err != nil {
		return err
	}
	defer s.command.Process.Kill()
	if err := register(s.paths["registration"]); err != nil {
		return err
	}
	if _, err := s.await("registered: yes"); err != nil {
		return err
	}

	// Dials like kubelet's DRA manager: :authority is "localhost".
	connection, err := grpc.NewClient("unix:"+s.paths["service"], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	client := dra.NewDRAPluginClient(connection)
	if err := many(client, prepares); err != nil {
		return err
	}
	if err := burst(client, 60); err != nil {
		return err
	}
	if err := big(client); err != nil {
		return err
	}
	if err := failures(connection, client); err != nil {
		return err
	}
	if err := impatience(s, client); err != nil {
		return err
	}
	if err := crowd(s, client); err != nil {
		return err
	}
	stream, err := watch(connection)
	if err != nil {
		return err
	}
	if os.Getenv("RPC_PEER_IDLE") != "" {
		time.Sleep(8 * time.Second) // for measurements after the workers have ended
		memory, _ := exec.Command("grep", "-E", "VmRSS|RssAnon|Threads", fmt.Sprintf("/proc/%d/status", s.command.Process.Pid)).Output()
		fmt.Printf("idle:\n%s", memory)
	}

	// When the server ends, streams end with UNAVAILABLE and the sockets are removed.
	s.stdin.Close()
	for err == nil {
		_, err = stream.Recv()
	}
	if err := expect("the stream's end", status.Code(err) == codes.Unavailable, err); err != nil {
		return err
	}
	for line := range s.lines {
		if !strings.HasPrefix(line, "gave up") {
			fmt.Println("server:", line)
		}
	}
	if err := s.command.Wait(); err != nil {
		return err
	}
	for name, path := range s.paths {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the %s socket is still there: %w", name, err)
		}
	}
	return nil
}

func main() {
	prepares := 2000
	if len(os.Args) > 2 {
		prepares, _ = strconv.Atoi(os.Args[2])
	}
	if len(os.Args) < 2 || prepares < 1 {
		fmt.Fprintln(os.Stderr, "usage: rpc_peer SERVER [PREPARES]")
		os.Exit(2)
	}
	if err := run(os.Args[1], prepares); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println("passed")
}

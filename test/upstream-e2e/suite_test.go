// Package e2e runs virtual-kubelet's own end-to-end suite against a node that already runs.
package e2e

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/virtual-kubelet/virtual-kubelet/test/e2e"
)

var (
	kubeconfig   = flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "the cluster and who we are there")
	namespace    = flag.String("namespace", "default", "where the suite makes its pods")
	nodeName     = flag.String("node-name", "", "the node under test")
	watchTimeout = flag.Duration("watch-timeout", 2*time.Minute, "how long the suite waits for a change")
	skipTest     = flag.String("skip-test", "", "names of tests to leave out, separated by commas")
)

func TestUpstream(t *testing.T) {
	if *nodeName == "" {
		t.Fatal("-node-name is missing: name the node under test")
	}
	skipped := strings.Split(*skipTest, ",")
	e2e.NewEndToEndTestSuite(e2e.EndToEndTestSuiteConfig{
		Kubeconfig:     *kubeconfig,
		Namespace:      *namespace,
		NodeName:       *nodeName,
		WatchTimeout:   *watchTimeout,
		ShouldSkipTest: func(name string) bool { return slices.Contains(skipped, name) },
	}).Run(t)
}

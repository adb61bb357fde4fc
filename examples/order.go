// Order from Go, with the standard library: over HTTP, or through a stream of Redis or Valkey.
//
//	go run examples/order.go http://127.0.0.1:8000 KEY '{"customer_name": "Blue Harbor Coffee", "region": "Busan"}'
//	go run examples/order.go redis://127.0.0.1:6379 PASSWORD '{"task_id": "shop-9", "customer_name": …}'
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
)

func command(words ...string) string {
	text := fmt.Sprintf("*%d\r\n", len(words))
	for _, word := range words {
		text += fmt.Sprintf("$%d\r\n%s\r\n", len(word), word)
	}
	return text
}

func main() {
	address, secret, order := os.Args[1], os.Args[2], os.Args[3]
	target, err := url.Parse(address)
	check(err)
	if target.Scheme == "redis" {
		connection, err := net.Dial("tcp", target.Host)
		check(err)
		if secret != "" {
			fmt.Fprint(connection, command("AUTH", secret))
		}
		fmt.Fprint(connection, command("XADD", "castad:orders", "*", "order", order)+command("QUIT"))
		_, err = io.Copy(os.Stdout, connection)
		check(err)
		return
	}
	request, err := http.NewRequest("POST", address+"/v1/pipeline/start", strings.NewReader(order))
	check(err)
	request.Header.Set("Authorization", "Bearer "+secret)
	answer, err := http.DefaultClient.Do(request)
	check(err)
	fmt.Print(answer.StatusCode, " ")
	_, err = io.Copy(os.Stdout, answer.Body)
	check(err)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Order from Node, without a package: over HTTP, or through a stream of Redis or Valkey.
//   node examples/order.mjs http://127.0.0.1:8000 KEY '{"customer_name": "Blue Harbor Coffee", "region": "Busan"}'
//   node examples/order.mjs redis://127.0.0.1:6379 PASSWORD '{"task_id": "shop-9", "customer_name": …}'
import { connect } from "node:net";

const [address, secret, order] = process.argv.slice(2);
const { protocol, hostname, port } = new URL(address);

if (protocol === "redis:") {
  const command = (...words) =>
    `*${words.length}\r\n` + words.map((w) => `$${Buffer.byteLength(w)}\r\n${w}\r\n`).join("");
  const login = secret ? command("AUTH", secret) : "";
  const socket = connect(Number(port || 6379), hostname);
  socket.end(login + command("XADD", "castad:orders", "*", "order", order) + command("QUIT"));
  for await (const answer of socket) process.stdout.write(answer);
} else {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const answer = await fetch(`${address}/v1/pipeline/start`, { method: "POST", headers, body: order });
  console.log(answer.status, await answer.text());
}

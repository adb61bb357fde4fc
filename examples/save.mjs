// Hand a save over to castad from Node, and ask which character a class of waste wins (docs/scan.md):
//   npm install amqplib && node examples/save.mjs amqp://user:password@127.0.0.1:5672 '{"user_id": "u", …}'
import { randomUUID } from "node:crypto";
import { connect } from "amqplib";

const [address, save] = process.argv.slice(2);
const connection = await connect(address);
const channel = await connection.createConfirmChannel();

for (const queue of ["castad.character.reward", "castad.my.reward"]) {
  channel.publish("castad.saves", queue, Buffer.from(save), { persistent: true });
}
await channel.waitForConfirms();

const { queue: replyTo } = await channel.assertQueue("", { exclusive: true });
const correlationId = randomUUID();
const answered = new Promise((resolve) =>
  channel.consume(replyTo, (message) => resolve(message.content.toString()), { noAck: true }),
);
const question = Buffer.from(JSON.stringify({ middle_category: "유리병" }));
channel.publish("castad.saves", "castad.character.match", question, { replyTo, correlationId });
console.log(await answered);
await connection.close();

/**
 * npm run queues [-- COMMAND] [--remote URL]: the queues of an installation, and what to do with their messages. Each
 * command is a function of the database with the same arguments (sql/00_foundation/operations).
 */
import type postgres from "postgres";
import { openInstallation, readCommandLine, stop } from "./installation.ts";

const USAGE = `npm run queues                        all queues
npm run queues -- list [QUEUE]        messages, dead letters first
npm run queues -- list --request ID   what a request caused, in all queues
npm run queues -- show QUEUE ID       one message, its last error and its request
npm run queues -- retry QUEUE [ID]    sends one dead letter, or all, again; a waiting message at once
npm run queues -- drop QUEUE ID       deletes a message: what it was about fails
npm run queues -- pause QUEUE         workers take no more of its messages
npm run queues -- resume QUEUE
Each with --remote postgresql://… for another database than the local stack's.`;

const commandLine = readCommandLine(Deno.args);
const [command, ...args] = commandLine.args;
const commands: Record<string, (sql: postgres.Sql) => Promise<void>> = {
  async list(sql) {
    const at = args.indexOf("--request"), requestId = at < 0 ? null : args[at + 1] ?? usage();
    const [queue = null] = at < 0 ? args : args.toSpliced(at, 2);
    const [{ found }] = await sql`select private.list_queue_messages(
        _queue => ${queue}, _request_id => ${requestId}, max_messages => 100) as found`;
    for (const one of found as Message[]) console.log(lineOf(one));
    if (found.length === 0) console.log("No messages.");
    if (found.length === 100) console.log("There may be more: these are the first 100.");
  },
  async show(sql) {
    const [{ found }] =
      await sql`select private.get_queue_message(_queue => ${queueOf()}, _message_id => ${idOf()}) as found`;
    console.log(JSON.stringify(found, null, 2));
  },
  async retry(sql) {
    const id = args[1] === undefined ? null : idOf();
    const [{ done }] = await sql`select private.retry_queue_messages(
        _queue => ${queueOf()}, _message_id => ${id}, max_messages => 10000) as done`;
    console.log(`${done.retriedCount} retried`);
  },
  async drop(sql) {
    const [{ done }] =
      await sql`select private.drop_queue_message(_queue => ${queueOf()}, _message_id => ${idOf()}) as done`;
    console.log(`Dropped: ${JSON.stringify(done)}`);
  },
  async pause(sql) {
    await sql`select private.pause_queue(_queue => ${queueOf()})`;
    console.log(`${queueOf()} is paused`);
  },
  async resume(sql) {
    await sql`select private.resume_queue(_queue => ${queueOf()})`;
    console.log(`${queueOf()} is not paused`);
  },
};

if (command !== undefined && !Object.hasOwn(commands, command)) usage();
await using installation = await openInstallation(commandLine);
try {
  await (command === undefined ? listQueues : commands[command])(installation.sql);
} catch (error) {
  const { message, detail } = error as Error & { detail?: string };
  stop([message, detail].filter(Boolean).join(". "));
}

function usage(): never {
  stop(USAGE);
}
function queueOf(): string {
  return args[0] ?? usage();
}
function idOf(): string {
  const id = args[1];
  return id !== undefined && /^\d{1,18}$/.test(id) ? id : usage();
}

interface Queue {
  queue: string;
  depth: number;
  visible: number;
  waitingSeconds: number;
  deadLetters: number;
  isPaused: boolean;
  isStandalone: boolean;
}

async function listQueues(sql: postgres.Sql) {
  const [{ queues }] = await sql`select private.list_queues() as queues`;
  const rows = (queues as Queue[]).map((one) => [
    one.queue,
    String(one.depth),
    String(one.visible),
    `${one.waitingSeconds} s`,
    String(one.deadLetters),
    [one.isPaused && "paused", one.isStandalone && "standalone worker"].filter(Boolean).join(", "),
  ]);
  const table = [["queue", "messages", "visible", "waiting", "dead letters", ""], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table) {
    console.log(
      row.map((cell, n) => n === 0 || n === 5 ? cell.padEnd(widths[n]) : cell.padStart(widths[n])).join("  ").trimEnd(),
    );
  }
}

interface Message {
  queue: string;
  messageId: number;
  state: string;
  message: string;
  attempts: number;
  lastError: string | null;
  requestId: string | null;
  enqueuedAt: string;
}

function lineOf(one: Message): string {
  return [
    `${one.queue} ${one.messageId} ${one.state}, attempts: ${one.attempts}, enqueued ${one.enqueuedAt}`,
    one.requestId && `request ${one.requestId}`,
    one.message,
    one.lastError && `last error: ${one.lastError.slice(0, 300)}`,
  ].filter(Boolean).join("\n  ");
}

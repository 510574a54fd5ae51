import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GrpoRun } from './grpo-steps.ts'
import { type Answer, answerCall, refuse } from './protocol-calls.ts'
import { createProtocolJob, type Given, sha256Of } from './protocol-job.ts'

/*
 * Serves one job to trainers under test, by the contract: `node serve-protocol.ts SPEC DATASETS…`. SPEC is a JSON file with
 * the specification, the other files are what it names by hash. Prints its address, and ends when its input does.
 * `/control/…` is for the test.
 */
const [specFile = '', ...files] = process.argv.slice(2)
const given = JSON.parse(readFileSync(specFile, 'utf8')) as Given
const job = createProtocolJob()
/** Calls that fail, by path: a status, and how often. */
const faults = new Map<string, { status: number; times: number }>()

for (const file of files) {
  const bytes = readFileSync(file)
  job.store.set(sha256Of(bytes), bytes)
}

const server = createServer(async (request, response) => {
  const { method = '', url = '' } = request
  const body = await read(request)
  const answer = url.startsWith('/files/')
    ? answerFile(request, url.slice('/files/'.length), body)
    : url.startsWith('/control/')
      ? answerControl(url.slice('/control/'.length), body)
      : answerTrainer(method, url, request, body)
  const bytes = answer.body instanceof Buffer ? answer.body : Buffer.from(JSON.stringify(answer.body))
  response.writeHead(answer.status, { 'content-length': bytes.length }).end(bytes)
})

server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ url: address() })}\n`))
process.stdin.resume().on('end', () => process.exit(0))

function address(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function answerTrainer(method: string, url: string, request: IncomingMessage, body: Buffer): Answer {
  const fault = faults.get(url)
  if (fault !== undefined && fault.times > 0) {
    fault.times -= 1
    return refuse(fault.status, 'service_unavailable', 'Planted.')
  }
  const [scheme, token = ''] = (request.headers.authorization ?? '').split(' ')
  if (scheme !== 'Bearer' || !/^attempt-\d+$/.test(token)) return refuse(401, 'invalid_job_token', 'Unknown token.')
  return answerCall(method, url, {
    job,
    given,
    generation: Number(token.slice('attempt-'.length)),
    body: body.length === 0 ? undefined : JSON.parse(body.toString()),
    fileUrl: (sha256) => `${address()}/files/${sha256}`,
    now: new Date(),
  })
}

/** Addresses of files need no token, but bytes must have the hash that they were announced with. */
function answerFile({ method, headers }: IncomingMessage, sha256: string, body: Buffer): Answer {
  if (method === 'PUT') {
    if (headers['content-length'] === undefined) return refuse(411, 'invalid_request', 'Buckets want a length.')
    if (headers.authorization !== undefined)
      return refuse(400, 'invalid_request', 'The token is for the service alone.')
    if (sha256Of(body) !== sha256) return refuse(400, 'invalid_artifact', 'The bytes have another hash.')
    if (job.lostUploads > 0) job.lostUploads -= 1
    else job.store.set(sha256, body)
    return { status: 200, body: {} }
  }
  const bytes = job.store.get(sha256)
  return bytes === undefined ? refuse(404, 'not_found', 'No such file.') : { status: 200, body: bytes }
}

function answerControl(action: string, body: Buffer): Answer {
  const input = body.length === 0 ? {} : JSON.parse(body.toString())
  if (action === 'attempt') {
    job.generation += 1
    return { status: 200, body: { token: `attempt-${job.generation}` } }
  }
  if (action === 'settings') Object.assign(job, input)
  if (action === 'spec') Object.assign(given, input)
  if (action === 'corrupt') corrupt(input.step, input.name)
  if (action === 'fault') faults.set(input.path, { status: input.status, times: input.times })
  if (action === 'forget') for (const step of [...job.durable.keys()]) if (step > input.after) job.durable.delete(step)
  if (action === 'stop-run') job.run.stopAt = input.step
  if (action === 'finish-run') job.run.finishAt = input.step
  const { store, begun, events, durable, fingerprints, run, ...rest } = job
  const kept = {
    events: [...events.entries()],
    durable: Object.fromEntries(durable),
    fingerprints: Object.fromEntries(fingerprints),
    run: shownRun(run),
    stored: store.size,
    begun: begun.size,
  }
  return { status: 200, body: Object.assign(rest, kept) }
}

function shownRun({ steps, looks, ...run }: GrpoRun): object {
  const rolloutsOf = (all: Map<number, { rollouts: Map<string, unknown> }>) =>
    Object.fromEntries([...all].map(([step, { rollouts }]) => [step, [...rollouts.values()]]))
  return Object.assign(run, { rollouts: rolloutsOf(steps), looks: rolloutsOf(looks) })
}

/** Changes the first byte of a stored file. */
function corrupt(step: number, name: string): void {
  const sha256 = job.durable.get(step)?.files.find((file) => file.name === name)?.sha256 ?? ''
  const bytes = Buffer.from(job.store.get(sha256) ?? [])
  bytes.writeUInt8((bytes.readUInt8(0) + 1) % 256, 0)
  job.store.set(sha256, bytes)
}

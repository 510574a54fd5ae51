import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Fleet, startFleet } from '../fleet.ts'
import { loopbackCertificate } from '../loopback-certificate.ts'
import type { FleetProcess } from '../start-process.ts'
import { audiences, type FleetDescription, type ProcessDescription } from './fleet-description.ts'

/** Starts shared fleets on request, and keeps them running between test files. */
export interface FleetHost {
  readonly url: string
  stop(): Promise<void>
}

/** Short intervals of background work, so that tests do not wait for it. */
const settings = {
  ABUSE_GUARD_LIMIT: '10000',
  MONITOR_EVERY_MS: '500',
  MONITOR_INGEST_LAG_MS: '300',
  DRIFT_SWEEP_MS: '3000',
  GATE_EVERY_MS: '500',
  GATE_INGEST_LAG_MS: '300',
  GATE_PROMOTE_AFTER_HOURS: '0',
  GATE_GRADES_PER_ARM: '20',
  EVAL_PURGE_MS: '1000',
  WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
}

/**
 * Answers `GET /fleets/<worker>` with the fleet of one Jest worker, started by the first request for it. A worker runs
 * one file after the other, so a file has its fleet to itself while it runs.
 */
export async function startFleetHost(): Promise<FleetHost> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ratchet-shared-fleets-'))
  const certificates = path.join(folder, 'ca.pem')
  await writeFile(certificates, loopbackCertificate.cert)
  const fleets = new Map<string, Promise<FullFleet>>()
  const fleetOf = async (worker: string): Promise<FleetDescription> => {
    const starting = fleets.get(worker) ?? startFullFleet(folder, certificates)
    fleets.set(worker, starting)
    try {
      return describeFleet(await starting)
    } catch (error) {
      // The test file that received the error has failed; the next one gets a new fleet.
      fleets.delete(worker)
      await starting.then(({ fleet }) => fleet.stop()).catch(() => undefined)
      throw error
    }
  }
  const server = createServer((request, response) => {
    const worker = (request.url ?? '').replace('/fleets/', '')
    fleetOf(worker).then(
      (fleet) => reply(response, 200, fleet),
      (error: Error) => reply(response, 500, { message: error.message }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
      for (const starting of fleets.values()) await starting.then(({ fleet }) => fleet.stop()).catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A fleet of all services, and two more edges with the default limit of guarded calls. */
interface FullFleet {
  readonly fleet: Fleet
  readonly guardedEdges: readonly FleetProcess[]
}

async function startFullFleet(logFolder: string, certificates: string): Promise<FullFleet> {
  const env = { ...settings, NODE_EXTRA_CA_CERTS: certificates }
  const fleet = await startFleet({
    judges: true,
    evals: true,
    aliases: true,
    training: true,
    voice: true,
    logFolder,
    env,
  })
  const addGuarded = () => fleet.add('edge', { ABUSE_GUARD_LIMIT: '20' })
  try {
    const guardedEdges = [await addGuarded(), await addGuarded()]
    return { fleet, guardedEdges }
  } catch (error) {
    await fleet.stop()
    throw error
  }
}

/** @throws Error when one of the processes has ended, which a test on a shared fleet must not cause */
function describeFleet({ fleet, guardedEdges }: FullFleet): FleetDescription {
  const ended = fleet.processes.find(({ pid }) => !isRunning(pid))
  if (ended !== undefined) {
    throw new Error(`${ended.name} of the shared fleet has ended:\n${ended.log.slice(-20).join('\n')}`)
  }
  return {
    edges: [...fleet.edges, ...guardedEdges].map(describeProcess),
    inference: describeProcess(fleet.inference),
    logging: describeProcess(fleet.logging),
    loggingWorker: describeProcess(fleet.loggingWorker),
    judging: describeProcess(fleet.judging),
    judgingWorker: describeProcess(fleet.judgingWorker),
    eval: describeProcess(fleet.eval),
    evalWorker: describeProcess(fleet.evalWorker),
    alias: describeProcess(fleet.alias),
    aliasWorker: describeProcess(fleet.aliasWorker),
    training: describeProcess(fleet.training),
    trainingWorker: describeProcess(fleet.trainingWorker),
    voiceWorker: describeProcess(fleet.voiceWorker),
    voice: describeProcess(fleet.voice),
    providerUrl: fleet.provider.baseUrl,
    databaseUrl: fleet.databaseUrl,
    redisUrl: fleet.redisUrl,
    encryptionKeys: fleet.encryptionKeys,
    keys: Object.fromEntries(
      audiences.map((audience) => {
        const { id, secret } = fleet.keyFor(audience)
        return [audience, { id, secret: secret.toString('base64') }]
      }),
    ),
  }
}

function describeProcess({ name, pid, url, metricsUrl, logFile }: FleetProcess): ProcessDescription {
  if (logFile === null) throw new Error(`${name} writes no log file`)
  return { name, pid, url, metricsUrl, logFile }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

import { readFileSync, statSync } from 'node:fs'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { controlProvider, type ProviderControl } from '@ratchet/simulated-provider/provider-control'
import { createDemoWorkspace, type DemoWorkspace, type DemoWorkspaceOptions } from '@ratchet/testing/demo-workspace'
import type { FleetDescription, ProcessDescription } from './fleet-description.ts'

/** A process of a fleet, for tests that send it requests and read what it prints. */
export interface FleetMember {
  readonly name: string
  readonly pid: number
  readonly url: string
  /** Not at `url` for an edge, whose port clients reach. */
  readonly metricsUrl: string
  /** Lines that the process printed; of a shared fleet, since the test file started to use it. */
  readonly log: readonly string[]
}

/** The part of a fleet that does not stop processes. */
export interface RunningFleet {
  /** URL of the first edge, or of the balancer in front of all edges. */
  readonly url: string
  readonly edges: readonly FleetMember[]
  /** The first inference process. */
  readonly inference: FleetMember
  /** The API of logging. */
  readonly logging: FleetMember
  readonly loggingWorker: FleetMember
  /** The API of judging. */
  readonly judging: FleetMember
  readonly judgingWorker: FleetMember
  /** The API of eval. */
  readonly eval: FleetMember
  readonly evalWorker: FleetMember
  /** The API of aliases and webhooks. */
  readonly alias: FleetMember
  readonly aliasWorker: FleetMember
  /** The API of fine-tuning. */
  readonly training: FleetMember
  readonly trainingWorker: FleetMember
  readonly provider: ProviderControl
  /** The workspace of this test file. */
  readonly workspace: DemoWorkspace
  /** The database, without the proxy that the fleet uses. */
  readonly databaseUrl: string
  /** Redis, without the proxy. */
  readonly redisUrl: string
  /** In the form of ENCRYPTION_KEYS, for tests that store provider keys. */
  readonly encryptionKeys: string
  /** Signs identities for a service, like other services do for internal calls. */
  readonly keyFor: (audience: string) => NamedKey
}

/** A fleet that other test files use before and after this one. */
export interface SharedFleet extends RunningFleet {
  /** URLs of the edges with the default limit of 20 guarded calls per minute. */
  readonly guardedEdges: readonly FleetMember[]
  /** The worker of calls, which no edge calls. */
  readonly voiceWorker: FleetMember
  /** The API of voice agents. */
  readonly voice: FleetMember
}

/** Variable with the URL of the host of shared fleets; set before the first test file runs. */
export const hostVariable = 'RATCHET_E2E_FLEETS'

/**
 * Gives a test file a running fleet with every service and three edges, and a new workspace on it. Other files use the fleet
 * before and after this one, never at the same time. A file that stops processes, breaks connections or needs its own
 * settings starts a fleet with `startFleet` instead.
 *
 * @throws Error when the fleet does not start, or when an earlier file ended one of its processes
 */
export async function shareFleet(workspace: DemoWorkspaceOptions = {}): Promise<SharedFleet> {
  const host = process.env[hostVariable]
  if (host === undefined) throw new Error(`${hostVariable} is not set: run this file as a test of the project e2e`)
  const answer = await fetch(`${host}/fleets/${process.env.JEST_WORKER_ID ?? '1'}`)
  const body = await answer.json()
  if (!answer.ok) throw new Error((body as { message: string }).message)
  const fleet = body as FleetDescription
  const provider = controlProvider(fleet.providerUrl)
  await provider.reset()
  const edges = fleet.edges.map(openMember)
  return {
    url: edges[0]?.url ?? '',
    edges,
    guardedEdges: edges.slice(1),
    inference: openMember(fleet.inference),
    logging: openMember(fleet.logging),
    loggingWorker: openMember(fleet.loggingWorker),
    judging: openMember(fleet.judging),
    judgingWorker: openMember(fleet.judgingWorker),
    eval: openMember(fleet.eval),
    evalWorker: openMember(fleet.evalWorker),
    alias: openMember(fleet.alias),
    aliasWorker: openMember(fleet.aliasWorker),
    training: openMember(fleet.training),
    trainingWorker: openMember(fleet.trainingWorker),
    voiceWorker: openMember(fleet.voiceWorker),
    voice: openMember(fleet.voice),
    provider,
    workspace: await createDemoWorkspace(fleet.databaseUrl, workspace),
    databaseUrl: fleet.databaseUrl,
    redisUrl: fleet.redisUrl,
    encryptionKeys: fleet.encryptionKeys,
    keyFor(audience) {
      const key = fleet.keys[audience]
      if (key === undefined) throw new Error(`no key for ${audience}`)
      return { id: key.id, secret: Buffer.from(key.secret, 'base64') }
    },
  }
}

function openMember({ logFile, ...described }: ProcessDescription): FleetMember {
  // Skips lines that were printed for earlier test files.
  const start = sizeOf(logFile)
  return {
    ...described,
    get log() {
      if (sizeOf(logFile) <= start) return []
      return readFileSync(logFile).subarray(start).toString().trimEnd().split('\n')
    },
  }
}

/** A process that has not printed anything has no file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

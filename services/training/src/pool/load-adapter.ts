import type { Readable } from 'node:stream'
import type { EngineClient } from '../engines/engine-client.ts'
import type { Engines } from '../engines/engines.ts'
import { type Comparison, compareFingerprint, type ProbeAnswer } from '../fingerprints/compare-fingerprint.ts'
import type { PoolPlace, PoolStore } from './pool-store.ts'

export interface LoadDeps {
  readonly engines: Pick<Engines, 'place' | 'discard'>
  readonly store: Pick<PoolStore, 'versionToLoad' | 'learn'>
  readonly readArtifact: (sha256: string) => Promise<Readable>
  /** The questions of fingerprints. */
  readonly probes: readonly string[]
  /** Longest answer to one, tokens. */
  readonly maxProbeTokens: number
}

/** `gone`: the version does not exist any more. */
export type Proof = Comparison | 'gone'

/**
 * Loads a version into an engine, and asks it the probes. What does not answer as its trainer said is unloaded at once.
 *
 * @throws Error when it cannot be loaded or asked
 */
export async function proveAdapter(deps: LoadDeps, place: PoolPlace, client: EngineClient): Promise<Proof> {
  const { engines, store, readArtifact } = deps
  const { adapter } = place.version
  const found = await store.versionToLoad(place)
  if (found === null) return 'gone'
  const files = found.files.filter(({ kind }) => kind === 'adapter')
  const folder = await engines.place(place.replica, { name: adapter, files, read: readArtifact })
  try {
    await client.load(adapter, folder)
    const answered = await askProbes(deps, client, adapter)
    const expected = found.expected ?? (await firstAnswers(deps, place, { answered, base: found.base }))
    const comparison = compareFingerprint({ expected, answered, base: found.base })
    if (comparison !== 'same') await give(deps, place, client)
    return comparison
  } catch (error) {
    // The error that counts is the first one.
    await give(deps, place, client).catch(() => {})
    throw error
  }
}

async function give({ engines }: LoadDeps, { replica, version }: PoolPlace, client: EngineClient): Promise<void> {
  await client.unload(version.adapter)
  await engines.discard(replica, version.adapter)
}

/** What nobody trained here has no answers to compare with: those of the first engine count for all others. */
async function firstAnswers(
  { store }: LoadDeps,
  { version }: PoolPlace,
  { answered, base }: { readonly answered: readonly ProbeAnswer[]; readonly base: readonly ProbeAnswer[] },
): Promise<readonly ProbeAnswer[]> {
  const isThere = compareFingerprint({ expected: answered, answered, base }) === 'same'
  return isThere ? await store.learn(version, answered) : answered
}

/** What a model of an engine answers to the probes. */
export async function askProbes(
  { probes, maxProbeTokens }: Pick<LoadDeps, 'probes' | 'maxProbeTokens'>,
  client: EngineClient,
  model: string,
) {
  const answers: ProbeAnswer[] = []
  for (const probe of probes) answers.push(await client.ask(model, probe, maxProbeTokens))
  return answers
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { adapterWeights } from '../../attempts/check-manifest.ts'
import { adapterIdentity } from '../../trainers/sim/sim-model.ts'

export interface SimAdapter {
  /** What decides its answers to probes, as the simulated trainer takes it. */
  readonly identity: string
  /** The model of the simulated provider that answers as it does; null for an adapter that was not trained by the simulated trainer. */
  readonly servedAs: string | null
}

const Config = z.looseObject({ simulated_as: z.string().nullish() })
const headerStart = 8

/** Reads an adapter from its folder. @throws Error when it is none */
export async function readSimAdapter(folder: string): Promise<SimAdapter> {
  const weights = await readFile(join(folder, adapterWeights))
  const config = Config.parse(JSON.parse(await readFile(join(folder, 'adapter_config.json'), 'utf8')))
  const numbers = weights.subarray(headerStart + Number(weights.readBigUInt64LE(0)))
  const servedAs = config.simulated_as ?? null
  return { identity: adapterIdentity(numbers, servedAs), servedAs }
}

import type { DedicatedEndpoint } from '@ratchet/contracts/dedicated'
import type { CreateDedicatedEndpoint, UpdateDedicatedEndpoint } from '@ratchet/contracts/dedicated-body'
import { microOfUsd } from '../../../kit/money.ts'

/** What can be changed later too. */
export interface ScaleValues {
  readonly minReplicas: number
  readonly maxReplicas: number
  /** Minutes without a request after which all replicas end; empty: one always runs. */
  readonly sleepMinutes: string
  readonly targetConcurrency: number
  /** US dollars; empty: only the wallet limits it. */
  readonly maxHourlyCostUsd: string
}

export interface EndpointValues extends ScaleValues {
  readonly name: string
  /** A model, or a version of one; the other is empty. */
  readonly model: string
  readonly versionId: string
  readonly hardware: string
}

export const newEndpointValues: EndpointValues = {
  name: '',
  model: '',
  versionId: '',
  hardware: '',
  minReplicas: 0,
  maxReplicas: 1,
  sleepMinutes: '60',
  targetConcurrency: 8,
  maxHourlyCostUsd: '',
}

export function valuesOf(endpoint: DedicatedEndpoint): ScaleValues {
  const { scale_to_zero_after_seconds: seconds, max_hourly_cost_usd: most } = endpoint
  return {
    minReplicas: endpoint.min_replicas,
    maxReplicas: endpoint.max_replicas,
    sleepMinutes: seconds === null ? '' : String(seconds / 60),
    targetConcurrency: endpoint.target_concurrency,
    maxHourlyCostUsd: most === null ? '' : String(most),
  }
}

/** The fields of the body for what can be changed later. */
export function scaleBodyOf(values: ScaleValues) {
  const { minReplicas, maxReplicas, sleepMinutes, targetConcurrency, maxHourlyCostUsd } = values
  return {
    minReplicas,
    maxReplicas,
    scaleToZeroAfterSeconds: sleepMinutes === '' ? null : Math.round(Number(sleepMinutes) * 60),
    targetConcurrency,
    maxHourlyCostUsd: maxHourlyCostUsd === '' ? null : Number(maxHourlyCostUsd),
  } satisfies UpdateDedicatedEndpoint
}

/** The body that creates it; null while something is missing. */
export function bodyOf(
  values: EndpointValues,
): (Partial<CreateDedicatedEndpoint> & { name: string; hardware: string }) | null {
  if (missingText(values) !== null) return null
  const { name, model, versionId, hardware } = values
  const served = versionId === '' ? { model } : { modelVersionId: versionId }
  return { name: name.trim(), ...served, hardware, ...scaleBodyOf(values) }
}

/** The first thing that is missing, in words; null when nothing is. */
export function missingText(values: EndpointValues): string | null {
  if (values.model === '' && values.versionId === '') return 'Choose a model or a version.'
  if (values.hardware === '') return 'Choose the hardware.'
  if (values.name.trim() === '') return 'Give it a name.'
  return wrongScaleText(values)
}

/** What is wrong with the numbers; null when nothing is. */
export function wrongScaleText({ minReplicas, maxReplicas }: ScaleValues): string | null {
  return minReplicas > maxReplicas ? 'There cannot be more replicas at least than at most.' : null
}

/** What an hour costs, micro-dollars. */
export interface HourCost {
  readonly replica: string
  readonly least: string
  readonly most: string
  /** What the wallet must cover at a start. */
  readonly required: string
  /** Whole minutes after which the cap stops all replicas; null when it never does. */
  readonly cappedAfterMinutes: number | null
}

export function hourCostOf(values: ScaleValues, priceUsdPerHour: number): HourCost {
  const { minReplicas, maxReplicas, sleepMinutes, maxHourlyCostUsd } = values
  const replica = BigInt(microOfUsd(priceUsdPerHour))
  const always = minReplicas === 0 && sleepMinutes === '' ? 1 : minReplicas
  const all = replica * BigInt(maxReplicas)
  const cap = maxHourlyCostUsd === '' ? null : BigInt(microOfUsd(Number(maxHourlyCostUsd)))
  const isCapped = cap !== null && cap < all
  return {
    replica: String(replica),
    least: String(replica * BigInt(always)),
    most: String(isCapped ? cap : all),
    required: String(all),
    cappedAfterMinutes: isCapped ? Number((cap * 60n) / all) : null,
  }
}

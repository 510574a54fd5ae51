import { unsupported } from '../../wire/refusal.ts'

interface Family {
  /** Matches the model's id, which may begin with a region (`us.`) or an ARN. */
  readonly models: RegExp
  /** The family's value for each effort that it supports. */
  readonly efforts: Readonly<Record<string, string>>
  readonly fields: (effort: string) => Readonly<Record<string, unknown>>
  /** The fields that disable reasoning; null when it cannot be disabled. */
  readonly off: Readonly<Record<string, unknown>> | null
}

const lowToHigh = { minimal: 'low', low: 'low', medium: 'medium', high: 'high' }

/** Converse has no parameter for reasoning; each model family has its own. */
const families: readonly Family[] = [
  {
    models: /(^|[./])anthropic\.claude-[a-z]+-(4-[6-9]|[5-9])(?![0-9])/,
    efforts: { ...lowToHigh, xhigh: 'xhigh', max: 'max' },
    fields: (effort) => ({ thinking: { type: 'adaptive' }, output_config: { effort } }),
    off: { thinking: { type: 'disabled' } },
  },
  {
    models: /(^|[./])amazon\.nova-2-/,
    efforts: lowToHigh,
    fields: (maxReasoningEffort) => ({ reasoningConfig: { type: 'enabled', maxReasoningEffort } }),
    off: { reasoningConfig: { type: 'disabled' } },
  },
  {
    models: /(^|[./])openai\./,
    efforts: lowToHigh,
    fields: (effort) => ({ reasoning_effort: effort }),
    off: null,
  },
]

/** The efforts that a model can be asked for; empty when it does not reason. */
export function effortsOf(modelId: string): readonly string[] {
  const family = families.find(({ models }) => models.test(modelId))
  if (family === undefined) return []
  return [...(family.off === null ? [] : ['none']), ...Object.keys(family.efforts)]
}

/**
 * The fields that set a model's reasoning effort; null when the request sets none.
 *
 * @throws Refusal when the model does not support the effort
 */
export function reasoningFields(modelId: string, effort: unknown): Readonly<Record<string, unknown>> | null {
  if (effort === undefined || effort === null) return null
  const family = families.find(({ models }) => models.test(modelId))
  if (family === undefined) throw unsupported('reasoning_effort')
  if (effort === 'none' && family.off !== null) return family.off
  const known = typeof effort === 'string' && Object.hasOwn(family.efforts, effort) ? family.efforts[effort] : undefined
  if (known === undefined) {
    throw unsupported('reasoning_effort', `it must be one of ${Object.keys(family.efforts).join(', ')}`)
  }
  return family.fields(known)
}

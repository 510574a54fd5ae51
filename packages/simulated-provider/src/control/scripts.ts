import { type Behaviour, parseBehaviour } from '../behaviour.ts'

/** An order for the next requests of a model: POST /control/script. */
export interface Script {
  /** A model id, or `*` for any. */
  model: string
  /** As in a model name without `sim/`: `fail-503`, `cut-100`, `stall-0`, `hangup`, … */
  behaviour: string
  /** Number of requests to which it applies, ≥ 1; 1 when absent. */
  count?: number
}

/** Scripts that wait, in the order in which they were added. */
export interface Scripts {
  /** @throws RangeError for an unknown behaviour or an invalid count */
  add(script: Script): void
  /** Takes the behaviour that was ordered for this request of `model`; null when there is none. */
  take(model: string): Behaviour | null
  clear(): void
}

/** An empty list of scripts. */
export function createScripts(): Scripts {
  let waiting: { model: string; behaviour: Behaviour; left: number }[] = []
  return {
    add({ model, behaviour, count = 1 }) {
      const parsed = parseBehaviour(behaviour)
      if (parsed === null) throw new RangeError(`behaviour: '${behaviour}' is not one that the provider knows`)
      if (!Number.isInteger(count) || count < 1) throw new RangeError(`count: ${count} is not a whole number ≥ 1`)
      waiting.push({ model, behaviour: parsed, left: count })
    },
    take(model) {
      if (waiting.length === 0) return null
      const script = waiting.find((candidate) => candidate.model === model || candidate.model === '*')
      if (script === undefined) return null
      script.left -= 1
      if (script.left === 0) waiting = waiting.filter((candidate) => candidate !== script)
      return script.behaviour
    },
    clear() {
      waiting = []
    },
  }
}

import { z } from 'zod'
import type { AdapterFolders } from '../adapter-folders.ts'
import type { EngineClient } from '../engine-client.ts'
import type { EngineOrder, Engines, StartedEngine } from '../engines.ts'

/** An engine that somebody else runs. */
const ListedEngine = z.strictObject({
  address: z.url({ protocol: /^https?$/ }).transform((address) => new URL(address).origin),
  base_model: z.string().min(1),
  /** A kind of machine for dedicated endpoints; absent: it is for the pool. */
  hardware: z.string().min(1).optional(),
})
export type ListedEngine = z.output<typeof ListedEngine>

/** As JSON: `[{"address": "http://vllm:8000", "base_model": "qwen/small"}]`. */
export const EngineList = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      context.addIssue({ code: 'custom', message: 'not JSON' })
      return z.NEVER
    }
  })
  .pipe(z.array(ListedEngine))
  .refine((engines) => new Set(engines.map(({ address }) => address)).size === engines.length, {
    message: 'an address is listed twice',
  })

export interface ListedEnginesOptions {
  readonly listed: readonly ListedEngine[]
  /** Adapters in folders that the engines see under the same paths. */
  readonly folders: AdapterFolders
  readonly clientOf: (address: string) => EngineClient
}

interface Taken {
  readonly order: EngineOrder
  /** Null: all that would fit are taken. */
  place: ListedEngine | null
  hasEnded: boolean
}

/**
 * Engines that run already, such as containers beside the worker. Starting one takes it, and stopping gives it back without
 * the adapters that were loaded meanwhile. One that does not answer is not replaced: who runs it starts it again.
 * Only one worker can have them, because what is taken is in its memory.
 */
export function createListedEngines({ listed, folders, clientOf }: ListedEnginesOptions): Engines {
  const taken = new Map<string, Taken>()
  /** At first all of them: an earlier worker may have left adapters in them. */
  const emptying = new Set<ListedEngine>(listed)

  function placeFor({ baseModel, hardware }: EngineOrder): ListedEngine | null {
    const used = new Set([...taken.values()].map(({ place }) => place))
    const fits = (each: ListedEngine) => each.base_model === baseModel && (each.hardware ?? null) === hardware
    return listed.find((each) => fits(each) && !used.has(each) && !emptying.has(each)) ?? null
  }

  /** Those who have it next find nothing of those who had it. It is free when it was reached. */
  async function empty(place: ListedEngine): Promise<void> {
    const client = clientOf(place.address)
    try {
      for (const name of await client.models()) {
        if (name !== place.base_model) await client.unload(name)
      }
      emptying.delete(place)
    } catch {
      // The next look at the list tries again.
    } finally {
      await client.close()
    }
  }

  return {
    name: 'listed',
    endsWithWorker: true,
    async start(order) {
      if (!taken.has(order.name)) taken.set(order.name, { order, place: placeFor(order), hasEnded: false })
    },
    async stop(name) {
      const entry = taken.get(name)
      if (entry === undefined || entry.hasEnded) return
      const { place } = entry
      entry.hasEnded = true
      entry.place = null
      if (place === null) return
      emptying.add(place)
      await empty(place)
    },
    async list() {
      await Promise.all([...emptying].map(empty))
      return [...taken].map(([name, entry]): StartedEngine => {
        if (entry.hasEnded) return { name, address: null, state: 'exited' }
        entry.place ??= placeFor(entry.order)
        const { place } = entry
        return { name, address: place?.address ?? null, state: place === null ? 'waiting' : 'running' }
      })
    },
    async forget(name) {
      if (taken.get(name)?.hasEnded !== true) return
      taken.delete(name)
      await folders.remove(name)
    },
    place: (engine, adapter) => folders.place(engine, adapter),
    discard: (engine, adapter) => folders.discard(engine, adapter),
  }
}

import { createRecentMap } from '@ratchet/service-kit/values/recent-map'
import { keyOfText } from './compared-call.ts'
import type { Recording, ToolKey, ToolVersion } from './environment-tool.ts'
import { finderOf } from './record-calls.ts'

/** The recordings of a tool. */
export interface RecordingStore {
  find(tool: ToolKey, key: string): Promise<Pick<Recording, 'result'> | null>
  /** All of them, the most frequent first; without their answers. */
  keys(tool: ToolKey): Promise<readonly Pick<Recording, 'key' | 'compared'>[]>
}

/** Returns the answer of the recording that fits the compared text of a call; null when there is none. */
export type FindRecording = (version: ToolVersion, compared: string) => Promise<string | null>

/** Tools whose recordings stay in memory, for `nearest`: some megabytes each. */
const maxLoaded = 8

/** Recordings never change after a tool was created. */
export function createFindRecording(store: RecordingStore): FindRecording {
  const loaded = createRecentMap<ReturnType<typeof finderOf>>(maxLoaded)
  const load = async (tool: ToolKey) => {
    const find = loaded.get(tool.id) ?? finderOf(await store.keys(tool), { match: 'nearest' })
    loaded.set(tool.id, find)
    return find
  }
  return async ({ workspaceId, toolId: id, settings: { recorded } }, compared) => {
    const tool = { workspaceId, id }
    if (recorded === null) return null
    const exact = await store.find(tool, keyOfText(compared))
    if (exact !== null || recorded.match !== 'nearest') return exact?.result ?? null
    const near = (await load(tool))(compared)
    return near === null ? null : ((await store.find(tool, near.key))?.result ?? null)
  }
}

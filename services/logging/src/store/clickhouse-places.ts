import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { ClickHouse } from './clickhouse-client.ts'

/** Statements of workspaces, each of whose reads runs in a place of its workspace. It is named by the parameter `workspace`. */
export function inPlaces(clickHouse: ClickHouse, places: FairPlaces): ClickHouse {
  return {
    ...clickHouse,
    read(text, parameters) {
      const { workspace } = parameters
      if (typeof workspace !== 'string') throw new Error('the statement names no workspace')
      return places.run(workspace, () => clickHouse.read(text, parameters))
    },
  }
}

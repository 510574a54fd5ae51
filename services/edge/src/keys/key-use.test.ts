import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { createEdgeEvents } from '../events.ts'
import type { KeyUse } from './key-store.ts'
import { createKeyUseLog } from './key-use.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
const events = createEdgeEvents(createProcessMetrics('edge').registry, silentLogger)

function recorder() {
  const written: (readonly KeyUse[])[] = []
  const store = {
    isDown: false,
    written,
    async recordUse(uses: readonly KeyUse[]) {
      if (store.isDown) throw new Error('down')
      written.push(uses)
    },
  }
  return store
}

it('writes the last use of each key once per flush, and nothing when nothing was used', async () => {
  const store = recorder()
  const log = createKeyUseLog(store, events)
  log.note('a', at(1))
  log.note('b', at(2))
  log.note('a', at(3))
  await log.flush()
  await log.flush()
  expect(store.written).toEqual([
    [
      { keyId: 'a', at: at(3) },
      { keyId: 'b', at: at(2) },
    ],
  ])
})

it('retries failed writes, with the newer time if the key was used again', async () => {
  const store = recorder()
  const log = createKeyUseLog(store, events)
  log.note('a', at(1))
  log.note('b', at(2))
  store.isDown = true
  const flushing = log.flush()
  log.note('a', at(9))
  await flushing
  store.isDown = false
  await log.flush()
  expect(store.written).toEqual([
    [
      { keyId: 'a', at: at(9) },
      { keyId: 'b', at: at(2) },
    ],
  ])
})

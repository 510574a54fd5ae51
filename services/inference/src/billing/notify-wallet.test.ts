import type { LiveNotice } from '@ratchet/contracts/live-notice'
import { anything } from '@ratchet/testing/routes-of'
import { createNotifyWallet, withAlertNotices, withCreditNotices, withTopUpNotices } from './notify-wallet.ts'

const at = new Date('2026-11-24T12:00:00Z')

/** A notifier, and what happened in which order. */
function recording() {
  const events: unknown[] = []
  const notify = createNotifyWallet(
    async (workspaceId: string, notice: LiveNotice) => void events.push([workspaceId, notice]),
    () => at,
  )
  const notice = (workspaceId: string) => [workspaceId, { topic: 'wallet', id: 'wallet', version: at.getTime() }]
  return { events, notify, notice }
}

it('is sent after a credit, and not after one that was made before', async () => {
  const { events, notify, notice } = recording()
  let isNew = true
  const accounts = withCreditNotices(
    {
      ...anything(),
      async credit() {
        events.push('credited')
        return { credited: isNew, balanceNano: 1n }
      },
    },
    notify,
  )
  const credit = { workspaceId: 'w', amountNano: 1n, reference: 'r', reason: 'paid' }
  expect(await accounts.credit(credit)).toEqual({ credited: true, balanceNano: 1n })
  isNew = false
  await accounts.credit(credit)
  expect(events).toEqual(['credited', notice('w'), 'credited'])
})

it('is sent after a correction, and not after one that was made before', async () => {
  const { events, notify, notice } = recording()
  const answers = [true, false]
  const correct = async () => ({ corrected: answers.shift() ?? false, balanceNano: 1n })
  const accounts = withCreditNotices({ ...anything(), correct }, notify)
  const correction = { workspaceId: 'w', amountNano: -1n, reference: 'r', reason: 'twice' }
  await accounts.correct(correction)
  await accounts.correct(correction)
  expect(events).toEqual([notice('w')])
})

it('is sent after a top-up ended, and after an alert was crossed', async () => {
  const { events, notify, notice } = recording()
  const store = withTopUpNotices({ ...anything(), end: async () => void events.push('ended') }, notify)
  await store.end('id', 'w', 'credited', at)
  const alerts = withAlertNotices({ ...anything(), cross: async () => void events.push('crossed') }, notify)
  await alerts.cross({ workspaceId: 'v', thresholdNano: 1n, availableNano: 0n, at, eventId: null })
  expect(events).toEqual(['ended', notice('w'), 'crossed', notice('v')])
})

it('lets a credit that fails fail, without a notice', async () => {
  const { events, notify } = recording()
  const accounts = withCreditNotices({ ...anything(), credit: () => Promise.reject(new Error('no ledger')) }, notify)
  const credit = { workspaceId: 'w', amountNano: 1n, reference: 'r', reason: 'paid' }
  await expect(accounts.credit(credit)).rejects.toThrow('no ledger')
  expect(events).toEqual([])
})

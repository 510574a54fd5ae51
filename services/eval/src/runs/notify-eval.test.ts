import type { LiveNotice } from '@ratchet/contracts/live-notice'
import { createNotifyEval } from './notify-eval.ts'

it('notifies the page of the eval, and the list of evals, of its own workspace', async () => {
  const notices: (LiveNotice & { readonly workspaceId: string })[] = []
  const notify = createNotifyEval(
    async (workspaceId, notice) => void notices.push({ workspaceId, ...notice }),
    () => new Date(7),
  )
  await notify({ workspaceId: 'w1', id: '00000000-0000-7000-8000-000000000001' })
  const id = 'eval_00000000000070008000000000000001'
  expect(notices).toEqual([
    { workspaceId: 'w1', topic: `eval:${id}`, id, version: 7 },
    { workspaceId: 'w1', topic: 'evals', id, version: 7 },
  ])
})

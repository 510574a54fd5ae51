import type { RunKind } from './judge-run.ts'
import { createRunNotices } from './notify-judges.ts'

const id = '00000000-0000-7000-8000-000000000001'

function topicsOf(kind: RunKind, what: 'judged' | 'stepped'): readonly string[] {
  const topics: string[] = []
  const notices = createRunNotices(
    async (_workspaceId, { topic }) => void topics.push(topic),
    () => new Date(7),
  )
  notices[what]({ workspaceId: 'w1', id, kind })
  return topics
}

it('names a run that a page follows by its public id, and no other one', () => {
  const hex = '00000000000070008000000000000001'
  expect(topicsOf('calibration', 'judged')).toEqual([`calibration:cal_${hex}`])
  expect(topicsOf('scan', 'judged')).toEqual([`scan:scan_${hex}`])
  expect(topicsOf('improvement', 'judged')).toEqual([`improvement:imp_${hex}`])
  expect(topicsOf('suggestion', 'stepped')).toEqual([`suggestion:sug_${hex}`])
  expect(topicsOf('round', 'judged')).toEqual([`round:rnd_${hex}`])
  expect(topicsOf('cascade_scan', 'judged')).toEqual([])
})

it('notifies of judges when a step may change what is known about them', () => {
  expect(topicsOf('calibration', 'stepped')).toHaveLength(2)
  expect(topicsOf('drift_replay', 'stepped')).toEqual(['judges'])
  expect(topicsOf('cascade_calibration', 'stepped')).toEqual(['judges'])
  expect(topicsOf('scan', 'stepped')).toHaveLength(1)
})

import { fleetIdentity } from '@ratchet/contracts/identity'
import type { Label } from '@ratchet/contracts/labels'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { gradeRollouts } from './grade-rollouts.ts'

const item = (id: string) => ({ rollout_id: id, label: 'pass' })
const labelOf = (id: string) => ({ id }) as Label
const away = () => new ServiceError('service_unavailable', 'Retry.', { retryAfterSeconds: 1 })

const grading = (answer: (id: string) => Error | boolean, ids: readonly string[]) =>
  gradeRollouts(
    async (_, body) => {
      const { rollout_id: id } = body as { rollout_id: string }
      const found = answer(id)
      if (found instanceof Error) throw found
      return { label: labelOf(id), superseded: found }
    },
    fleetIdentity,
    ids.map(item),
  )

it('grades each, and lists those that are refused', async () => {
  const answer = (id: string) => (id === 'b' ? notFound('answer of a look', 'rollout_id') : id === 'c')
  expect(await grading(answer, ['a', 'b', 'c'])).toEqual({
    object: 'list',
    data: [labelOf('a'), labelOf('c')],
    created: 2,
    superseded: 1,
    rejected: [{ index: 1, code: 'not_found', message: expect.any(String), param: 'rollout_id' }],
  })
})

it('refuses the rest when training cannot be reached, and all when nothing was graded', async () => {
  const list = await grading((id) => (id === 'b' ? away() : false), ['a', 'b', 'c'])
  expect([list.created, list.rejected.map(({ index, code }) => [index, code])]).toEqual([
    1,
    [
      [1, 'service_unavailable'],
      [2, 'service_unavailable'],
    ],
  ])
  await expect(grading(away, ['a', 'b'])).rejects.toMatchObject({ code: 'service_unavailable' })
})

it('grades no logged exchanges together with them, and at most 50', async () => {
  const grade = () => Promise.reject(new Error('none'))
  for (const items of [[item('a'), { log_id: 'log_1', label: 'pass' }], Array.from({ length: 51 }, () => item('a'))]) {
    await expect(gradeRollouts(grade, fleetIdentity, items)).rejects.toMatchObject({ param: 'labels' })
  }
})

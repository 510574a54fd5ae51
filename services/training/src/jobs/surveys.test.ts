import { eventually } from '@ratchet/testing/eventually'
import { maxSmallBytes } from '../data/data-reading.ts'
import { linesOf, manyExamples } from '../data/examples.fixture.ts'
import type { SourceReader } from '../data/source-reader.ts'
import { fileId, jobApp } from './job-app.fixture.ts'

it('reads the large data of one request at a time', async () => {
  const events: string[] = []
  const ends: (() => void)[] = []
  const sources: SourceReader = {
    async facts() {
      events.push('found')
      return { uuid: fileId, bytes: maxSmallBytes + 1, sha256: null, siblingId: null }
    },
    async content() {
      events.push('begun')
      await new Promise<void>((resolve) => void ends.push(resolve))
      return linesOf(...manyExamples(20))
    },
  }
  const app = jobApp({ sources })
  const body = { model: 'sim/small', trainingFile: fileId }
  const estimate = (by: string) => app.send('post', '/v1/fine_tuning/jobs/estimate', { body, by })
  const others = ['00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-00000000000b']
  const answers = others.map(estimate)
  await eventually(() => expect(events.filter((event) => event === 'found')).toHaveLength(2))
  await eventually(() => expect(ends).toHaveLength(1))
  ends[0]?.()
  expect(await Promise.race(answers)).toMatchObject({ status: 200 })
  await eventually(() => expect(ends).toHaveLength(2))
  ends[1]?.()
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
})

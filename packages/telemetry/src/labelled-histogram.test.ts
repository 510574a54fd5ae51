import { Histogram, Registry } from 'prom-client'
import { LabelledHistogram } from './labelled-histogram.ts'

const bounds = [0.01, 0.1, 1]
const observations = [
  [{ method: 'GET', route: '/v1/models', status: '200' }, 0.005],
  [{ method: 'GET', route: '/v1/models', status: '200' }, 0.01],
  [{ method: 'GET', route: '/v1/models', status: '200' }, 0.5],
  [{ method: 'POST', route: '/v1/chat/completions', status: '503' }, 7],
] as const

it('prints what prom-client’s histogram prints', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  for (const registry of [ours, theirs]) registry.setDefaultLabels({ service: 'edge' })
  const shape = { name: 'ratchet_answer_seconds', help: 'Time.', labelNames: ['method', 'route', 'status'] as const }
  const histogram = new LabelledHistogram(ours, { ...shape, buckets: bounds })
  const reference = new Histogram({ ...shape, buckets: [...bounds], registers: [theirs] })
  for (const [labels, seconds] of observations) {
    histogram.observe(labels, seconds)
    reference.observe(labels, seconds)
  }
  const lines = (text: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map(sortLabels)
      .sort()
  expect(lines(await ours.metrics())).toEqual(lines(await theirs.metrics()))
})

function sortLabels(line: string): string {
  return line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`)
}

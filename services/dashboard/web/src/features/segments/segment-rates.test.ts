import { segmentEvidence } from './segment-rates.ts'

type Judges = Parameters<typeof segmentEvidence>[1]
type Scans = Parameters<typeof segmentEvidence>[2]

const judge = (id: string, more: object = {}) =>
  ({
    id,
    name: id,
    status: 'draft',
    unit: 'request',
    trust: 'trustworthy',
    population_family: '',
    ...more,
  }) as Judges[0]
const scan = (id: string, interval: [number, number] | null, segment = 'greeter') =>
  ({
    criterion_id: id,
    finished_at: '2026-11-20T00:00:00.000Z',
    by_segment: [
      {
        segment,
        judged: 50,
        raw_pass_rate: 0.99,
        corrected_pass_rate: interval === null ? null : 0.8,
        corrected_ci: interval,
      },
    ],
  }) as Scans[0]

it('gives the corrected rate of each judge, the narrowest interval first, and never the raw rate', () => {
  const judges = [judge('Sound'), judge('Kind'), judge('Short')]
  const scans = [scan('Sound', [0.6, 0.95]), scan('Kind', [0.75, 0.85]), scan('Short', null)]
  const { rates, missing } = segmentEvidence('greeter', judges, scans)
  expect(rates.map((each) => [each.judge.id, each.rate, each.interval])).toEqual([
    ['Kind', 0.8, [0.75, 0.85]],
    ['Sound', 0.8, [0.6, 0.95]],
  ])
  expect(missing).toBeNull()
})

it.each([
  ['there is no judge', [], [], 'a judge'],
  ['the only judge is retired', [judge('Sound', { status: 'retired' })], [], 'a judge'],
  ['the only judge is of runs', [judge('Sound', { unit: 'trace' })], [], 'a judge'],
  ['the judge is of another segment', [judge('Sound', { population_family: 'other' })], [], 'a judge'],
  ['nothing was scanned', [judge('Sound')], [], 'a scan by Sound'],
  ['the scan judged none of it', [judge('Sound')], [scan('Sound', [0.5, 0.9], 'other')], 'a larger scan by Sound'],
  [
    'the judge is not measured',
    [judge('Sound', { trust: 'unmeasured' })],
    [scan('Sound', null)],
    'a calibration of Sound',
  ],
  ['too little is known of its errors', [judge('Sound')], [scan('Sound', null)], 'more grades for Sound'],
])('says what is missing when %s', (_what, judges, scans, missing) => {
  expect(segmentEvidence('greeter', judges, scans)).toEqual({ rates: [], missing })
})

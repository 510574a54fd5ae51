import { countingIds, countingUuids } from './counting-ids.ts'

it('counts from 1, each counter on its own', () => {
  const logs = countingIds('log_')
  const others = countingIds()

  expect([logs(), logs(), others()]).toEqual(['log_1', 'log_2', 'id_1'])
})

it('counts in the format of a UUID version 7', () => {
  const uuids = countingUuids()

  expect([uuids(), uuids()]).toEqual(['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'])
})

import { listCriteria } from '@ratchet/contracts/criteria'
import { listLogs } from '@ratchet/contracts/logs'
import type { z } from 'zod'
import { filterFieldsOf, isoOfLocal, localOfIso } from './filter-fields.ts'

const kinds = (schema: z.ZodType) =>
  Object.fromEntries(filterFieldsOf(schema as z.ZodObject).map(({ name, kind }) => [name, kind]))

it('reads the filters of logs from their contract', () => {
  expect(kinds(listLogs.query)).toMatchObject({
    model: 'text',
    cache_hit: 'choice',
    start: 'time',
    min_cost_usd: 'number',
    q: 'text',
  })
})

it('says why the contract refuses a text', () => {
  const metadata = filterFieldsOf(listLogs.query as z.ZodObject).find(({ name }) => name === 'metadata')
  if (metadata?.kind !== 'text') throw new Error('metadata is typed in as a text')
  expect([metadata.problemOf('plan'), metadata.problemOf('plan=pro')]).toEqual([expect.stringContaining('='), null])
})

it('leaves out what only turns pages', () => {
  expect(kinds(listCriteria.query)).toEqual({ status: 'choice', trust: 'choice', unit: 'choice', population: 'text' })
})

it('offers the values of the contract', () => {
  const trust = filterFieldsOf(listCriteria.query as z.ZodObject).find(({ name }) => name === 'trust')
  expect(trust).toMatchObject({ choices: expect.arrayContaining(['trustworthy', 'misaligned']), label: 'Trust' })
})

it('gives the contract a time with its zone, and back', () => {
  expect(localOfIso(isoOfLocal('2026-11-24T09:30'))).toBe('2026-11-24T09:30')
  expect(isoOfLocal('2026-11-24')).toBe('2026-11-24')
  expect(localOfIso('nonsense')).toBe('')
})

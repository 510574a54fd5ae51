import { listLogs } from '@ratchet/contracts/logs'
import type { z } from 'zod'
import { parseSearch, searchNamed, searchOf, stringifySearch } from './search.ts'

const read = searchOf(listLogs.query as z.ZodObject)

it('keeps what the contract of an endpoint accepts, as text', () => {
  expect(read({ tag: 'support', limit: '20', start: '2026-11-01' })).toEqual({
    tag: 'support',
    limit: '20',
    start: '2026-11-01',
  })
})

it('leaves out what it refuses, so that an old link still opens', () => {
  expect(read({ limit: '-1', cache_hit: 'maybe', nonsense: 'x', tag: '' })).toEqual({})
})

it('never makes a number or an object of a text', () => {
  expect(parseSearch('?tag=007&q=%7B%22a%22%3A1%7D')).toEqual({ tag: '007', q: '{"a":1}' })
})

it('writes what it reads', () => {
  const search = { tag: 'a b&c', q: '"x"' }
  expect(parseSearch(stringifySearch(search))).toEqual(search)
  expect(stringifySearch({ tag: '', q: undefined })).toBe('')
})

it('keeps texts by their names, and leaves out the others', () => {
  const search = searchNamed('status', 'limit')
  expect(search({ status: 'open', limit: '10', other: 'x' })).toEqual({ status: 'open', limit: '10' })
  expect(search({ status: '', limit: 10 })).toEqual({})
  expect(search({ status: 'x'.repeat(1_001) })).toEqual({})
})

import { type Column, chosenColumns, withColumn } from './column.ts'

const column = (id: string, more: Partial<Column<object>> = {}): Column<object> => ({
  id,
  header: id,
  cell: () => id,
  ...more,
})
const columns = [column('time', { isFixed: true }), column('model'), column('cost'), column('cache', { isExtra: true })]
const ids = (chosen: string | undefined) => chosenColumns(columns, chosen).map(({ id }) => id)

it('shows the usual columns, or those that the address names', () => {
  expect(ids(undefined)).toEqual(['time', 'model', 'cost'])
  expect(ids('cache,nonsense')).toEqual(['time', 'cache'])
})

it('writes a choice into the address, and leaves it out when it is the usual one', () => {
  const added = withColumn(columns, undefined, 'cache', true)
  expect(added).toBe('time,model,cost,cache')
  expect(withColumn(columns, added, 'cache', false)).toBeUndefined()
})

import { withTransfer } from './transfer-tool.ts'

const transfers = [{ name: 'desk', to: '+493012345678', description: 'A person.' }]

it('connects the caller with a target by its name, and with no number that a model writes', async () => {
  const asked: string[] = []
  const results: string[] = []
  let isDone = true
  const others: string[] = []
  const tools = withTransfer({ call: ({ name }) => void others.push(name) }, transfers, async (to) => {
    asked.push(to)
    return isDone
  })
  const call = (target: string) =>
    new Promise<void>((resolve) => {
      tools.call({ id: '1', name: 'transfer_call', arguments: JSON.stringify({ target }) }, (text) => {
        results.push(text)
        resolve()
      })
    })
  await call('desk')
  await call('+900123456')
  isDone = false
  await call('desk')
  tools.call({ id: '2', name: 'find_order', arguments: '{}' }, () => undefined)
  expect(asked).toEqual(['+493012345678', '+493012345678'])
  expect(results).toEqual([
    'The caller was transferred.',
    'There is no target of this name.',
    '[the transfer failed: nobody could be reached]',
  ])
  expect(others).toEqual(['find_order'])
})

import { focusManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import { readOnce } from './read-once.ts'

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

/** How often a query is read while the window loses and gets the focus, and is then shown anew. */
async function readsOf(options: object): Promise<readonly number[]> {
  let reads = 0
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 0 } } })
  client.mount()
  const queryFn = async () => {
    reads += 1
    return reads
  }
  const show = () => new QueryObserver(client, { queryKey: ['draw'], queryFn, ...options }).subscribe(() => {})
  const hide = show()
  await settled()
  focusManager.setFocused(false)
  focusManager.setFocused(true)
  await settled()
  const whileShown = reads
  hide()
  await settled()
  show()()
  await settled()
  client.clear()
  client.unmount()
  return [whileShown, reads]
}

afterEach(() => focusManager.setFocused(undefined))

it('is read once while it is shown, whatever has the focus, and again when it is shown anew', async () => {
  expect(await readsOf(readOnce)).toEqual([1, 2])
  expect((await readsOf({}))[0]).toBe(2)
})

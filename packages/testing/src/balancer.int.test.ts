import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type Balancer, type BalancerOptions, startBalancer } from './balancer.ts'
import { eventually } from './eventually.ts'

const undo: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** A backend that answers with its name, with a readiness that the test sets. */
async function startBackend(name: string, { ready = true } = {}) {
  const state = { ready }
  const server = createServer((incoming, response) => {
    if (incoming.url === '/readyz') return void response.writeHead(state.ready ? 200 : 503).end()
    response.end(name)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const leave = () => stopServer(server)
  undo.push(leave)
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, state, server, leave }
}

async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

async function startOver(names: readonly string[], options: BalancerOptions = {}) {
  const balancer = await startBalancer({ pollMs: 5, propagationMs: 10, ...options })
  undo.push(balancer.stop)
  const backends = await Promise.all(names.map((name) => startBackend(name)))
  for (const backend of backends) balancer.add(backend)
  await eventually(() => expect(backends.every(balancer.includes)).toBe(true))
  return { balancer, backends }
}

/** Sends one request on a connection of its own; returns the error's code when there is no answer. */
function ask({ url }: Balancer): Promise<string> {
  return new Promise((resolve) => {
    const asking = request(url, { agent: false }, (answer) => resolve(readAll(answer)))
    asking.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    asking.end()
  })
}

async function readAll(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of answer) text += piece
  return text
}

/** A connection for several requests one after the other. */
async function dial({ url }: Balancer) {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect(Number(port), hostname)
  undo.push(() => socket.destroy())
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  await once(socket, 'connect')
  const say = async () => {
    const before = text.length
    socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n')
    return eventually(() => {
      const answer = text.slice(before)
      return /\r\n\r\n.+/s.test(answer) ? answer : null
    })
  }
  return { socket, say }
}

it('alternates between all backends', async () => {
  const { balancer } = await startOver(['one', 'two', 'three'])
  const answers: string[] = []
  for (let i = 0; i < 6; i++) answers.push(await ask(balancer))
  expect(answers.toSorted()).toEqual(['one', 'one', 'three', 'three', 'two', 'two'])
})

it('refuses while no backend is ready', async () => {
  const { balancer } = await startOver([])
  balancer.add(await startBackend('one', { ready: false }))
  expect(await ask(balancer)).toBe('ECONNRESET')
  expect(balancer.refused).toBe(1)
})

it('sends new connections elsewhere once a backend is known not to be ready, and leaves the open ones', async () => {
  const { balancer, backends } = await startOver(['one', 'two'])
  const [first] = backends
  const olds = [await dial(balancer), await dial(balancer)]
  const before = await Promise.all(olds.map((old) => old.say()))
  if (first !== undefined) first.state.ready = false
  await eventually(() => expect(first !== undefined && balancer.includes(first)).toBe(false))

  expect([await ask(balancer), await ask(balancer)]).toEqual(['two', 'two'])
  const after = await Promise.all(olds.map((old) => old.say()))
  expect(after.map(nameIn)).toEqual(before.map(nameIn))
  expect(after.map(nameIn).toSorted()).toEqual(['one', 'two'])
})

it('learns of changes with a delay: connections go to a stopped backend and are refused', async () => {
  const { balancer, backends } = await startOver(['one'])
  const slow = await startBalancer({ pollMs: 5, propagationMs: 200 })
  undo.push(slow.stop)
  const [only] = backends
  if (only !== undefined) slow.add(only)
  await eventually(() => expect(only !== undefined && slow.includes(only)).toBe(true))
  await only?.leave()

  expect(await ask(slow)).toBe('ECONNRESET')
  expect(slow).toMatchObject({ refused: 1, reset: 0 })
  expect(balancer.reset).toBe(0)
})

it('counts connections that a backend reset', async () => {
  const { balancer, backends } = await startOver(['one'])
  backends[0]?.server.prependListener('request', (incoming) => incoming.socket.resetAndDestroy())
  expect(await ask(balancer)).toBe('ECONNRESET')
  expect(balancer).toMatchObject({ refused: 0, reset: 1 })
})

function nameIn(answer: string): string {
  return /(one|two|three)$/.exec(answer)?.[0] ?? answer
}

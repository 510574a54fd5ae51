import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { ReadableError } from '../terminal/readable-error.ts'

/** Functions that a helper process runs. Arguments and results are JSON values. */
export type HelperFunctions = Readonly<Record<string, (argument: never) => unknown>>

/** Runs functions in a process of its own: what they load and allocate is gone when it ends. */
export interface HelperProcess<F extends HelperFunctions> {
  /** @throws the error of the function, or ReadableError when the process ended before it answered */
  call<Name extends keyof F & string>(
    name: Name,
    argument: Parameters<F[Name]>[0],
  ): Promise<Awaited<ReturnType<F[Name]>>>
  /** Ends the process. Resolves when it has ended. */
  end(): Promise<void>
}

interface Call {
  readonly name: string
  readonly argument: unknown
}

type Answer =
  | { readonly kind: 'result'; readonly result: unknown }
  | {
      readonly kind: 'error'
      readonly message: string
      readonly stack: string | undefined
      readonly isReadable: boolean
    }

/** Starts a program that calls {@link answerCalls}. It answers one call at a time. */
export function startHelperProcess<F extends HelperFunctions>(program: string): HelperProcess<F> {
  const child = fork(program, [], { execArgv: [] })
  return {
    async call(name, argument) {
      const answer = await ask(child, { name, argument })
      if (answer.kind === 'result') return answer.result as never
      throw answer.isReadable ? new ReadableError(answer.message) : withStack(new Error(answer.message), answer.stack)
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

/** Makes this process the helper of the one that started it: it answers calls until that one ends it, or has ended. */
export function answerCalls(functions: HelperFunctions): void {
  process.on('message', ({ name, argument }: Call) => {
    void answer(functions[name], argument).then((message) => process.send?.(message))
  })
}

async function answer(work: HelperFunctions[string] | undefined, argument: unknown): Promise<Answer> {
  try {
    if (work === undefined) throw new RangeError('no such function')
    return { kind: 'result', result: await work(argument as never) }
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return { kind: 'error', message, stack, isReadable: error instanceof ReadableError }
  }
}

/** Sends a call and waits for its answer. */
function ask(child: ChildProcess, call: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      child.off('message', onMessage).off('exit', onLost).off('error', onLost)
    }
    const onLost = () => {
      settle()
      reject(new ReadableError('A process that helps with the start ended early.'))
    }
    const onMessage = (message: unknown) => {
      settle()
      resolve(message as Answer)
    }
    if (!child.connected) return onLost()
    child.once('message', onMessage).once('exit', onLost).once('error', onLost)
    child.send(call)
  })
}

function withStack(error: Error, stack: string | undefined): Error {
  if (stack !== undefined) error.stack = stack
  return error
}

import * as variant from '@jitl/quickjs-wasmfile-release-sync'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { scriptLimits } from '@ratchet/contracts/criterion-checks'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import type { ScriptResult, ScriptTask } from './script.ts'

/** Bytes of the stack of the interpreter, which is a part of the stack of the thread. */
const stackBytes = 256 * 1024
const maxReasonLength = 500

/** What is taken away, so that a script gives the same result for the same answer. */
const withoutChance = `
  delete globalThis.Date; delete globalThis.performance; delete Math.random; delete globalThis.WeakRef; delete globalThis.FinalizationRegistry;`

/** The types of Node have WebAssembly as a namespace of types only. */
type NewMemory = new (limits: { readonly initial: number; readonly maximum: number }) => object
const { Memory } = (globalThis as unknown as { readonly WebAssembly: { readonly Memory: NewMemory } }).WebAssembly

/** The types of the package are those of its other build. */
const release = variant.default as unknown as QuickJSSyncVariant

/** What the interpreter begins with. */
const initialMb = 16
const pageBytes = 65_536

/** The interpreter does not count the bytes of arrays and buffers, so its whole memory is limited too. */
function load(): Promise<QuickJSWASMModule> {
  const pagesOf = (mb: number) => (mb * mebibyte) / pageBytes
  const wasmMemory = new Memory({
    initial: pagesOf(initialMb),
    maximum: pagesOf(initialMb + scriptLimits.memoryMb),
  })
  return newQuickJSWASMModuleFromVariant(newVariant(release, { wasmMemory }))
}

let loading: Promise<QuickJSWASMModule> | null = null

/** Runs in the thread. Each script gets an interpreter of its own. */
export async function runScriptTask(task: ScriptTask): Promise<ScriptResult> {
  loading ??= load()
  const module = await loading
  try {
    return runIn(module, task)
  } catch (error) {
    if (error instanceof ScriptError) return failed(error.message)
    // The interpreter itself failed, for example for lack of stack. What it left behind may be damaged.
    loading = null
    return failed((error as Error).message)
  }
}

class ScriptError extends Error {
  override name = 'ScriptError'
}

function runIn(module: QuickJSWASMModule, task: ScriptTask): ScriptResult {
  const runtime = module.newRuntime()
  runtime.setMemoryLimit(scriptLimits.memoryMb * mebibyte)
  runtime.setMaxStackSize(stackBytes)
  const endMs = usedMs() + scriptLimits.ms
  runtime.setInterruptHandler(() => usedMs() > endMs)
  const context = runtime.newContext()
  try {
    return check(context, task)
  } catch (error) {
    const isLate = error instanceof ScriptError && usedMs() > endMs
    throw isLate ? new ScriptError(`it took more than ${scriptLimits.ms / 1_000} seconds`) : error
  } finally {
    context.dispose()
    runtime.dispose()
  }
}

/** Processor time of this thread, milliseconds: on a busy machine a script is not stopped sooner. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

function check(context: QuickJSContext, { source, answer }: ScriptTask): ScriptResult {
  evaluate(context, withoutChance)
  const type = evaluate(context, `${source}\n;typeof check`)
  if (type !== 'function') return failed('it defines no function `check`')
  if (answer === null) return { kind: 'ran', pass: true, reason: null }
  return resultOf(evaluate(context, `check(JSON.parse(${JSON.stringify(JSON.stringify(answer))}))`))
}

/** @throws ScriptError when the code cannot be compiled, or throws */
function evaluate(context: QuickJSContext, code: string): unknown {
  const result = context.evalCode(code, 'check.js')
  const value: unknown = context.dump(result.error ?? result.value)
  result.dispose()
  if (result.error === undefined) return value
  throw new ScriptError(wordsOf(value))
}

function resultOf(value: unknown): ScriptResult {
  if (typeof value === 'boolean') return { kind: 'ran', pass: value, reason: null }
  const { pass, reason } = (value ?? {}) as { readonly pass?: unknown; readonly reason?: unknown }
  if (typeof pass !== 'boolean') return failed('`check` returned neither true, false nor `{ pass, reason }`')
  return {
    kind: 'ran',
    pass,
    reason: typeof reason === 'string' && reason !== '' ? reason.slice(0, maxReasonLength) : null,
  }
}

function failed(problem: string): ScriptResult {
  return { kind: 'failed', problem: problem.slice(0, maxReasonLength) }
}

function wordsOf(error: unknown): string {
  const { name, message } = (error ?? {}) as { readonly name?: unknown; readonly message?: unknown }
  return typeof message === 'string' ? `${String(name)}: ${message}` : 'it threw something that is no error'
}

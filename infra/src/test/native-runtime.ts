import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)
const { default: JestRuntime } = require('jest-runtime') as typeof import('jest-runtime')
const eventHandlers = Symbol.for('EVENT_HANDLERS')

/**
 * Runs test files as plain Node modules in the process of the worker: Node strips the types, and files of one worker
 * share the modules that they import. Jest's own runtime compiles and links every module again for each file, which took
 * longer than the tests. Module mocks do not work with it; this repository uses none.
 */
class NativeRuntime extends JestRuntime {
  override unstable_shouldLoadAsEsm(): boolean {
    return true
  }

  override async unstable_importModule(file: string): Promise<never> {
    return (await import(pathToFileURL(file).href)) as never
  }

  /** Loads the test framework anew for each file: it keeps the tests of a file in module variables. */
  override requireInternalModule<T = unknown>(file: string): T {
    Reflect.deleteProperty(globalThis, eventHandlers)
    delete require.cache[file]
    return require(file) as T
  }
}

export { NativeRuntime as 'module.exports' }

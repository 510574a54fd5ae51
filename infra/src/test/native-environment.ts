import { ModuleMocker } from 'jest-mock'

/** Gives tests the global scope of the worker process, because they run as plain Node modules. */
class NativeEnvironment {
  readonly global = globalThis
  readonly fakeTimers = null
  readonly fakeTimersModern = null
  readonly moduleMocker = new ModuleMocker(globalThis)
  readonly #console = globalThis.console
  readonly #exit = process.exit

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    globalThis.console = this.#console
    process.exit = this.#exit
  }

  getVmContext(): null {
    return null
  }

  exportConditions(): readonly string[] {
    return ['node', 'node-addons']
  }
}

export { NativeEnvironment as 'module.exports' }

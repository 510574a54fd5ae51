/**
 * Loaded before a process (`--import`): shifts its wall clock by CLOCK_SHIFT_MS; a positive value means a fast clock. The
 * monotonic clock is not changed, like on a machine with a wrong time.
 */
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0)
const RealDate = Date

globalThis.Date = new Proxy(RealDate, {
  construct(target, args, newTarget) {
    return Reflect.construct(target, args.length === 0 ? [RealDate.now() + shiftMs] : args, newTarget)
  },
  apply: () => new RealDate(RealDate.now() + shiftMs).toString(),
  get: (target, name, receiver) => {
    return name === 'now' ? () => RealDate.now() + shiftMs : Reflect.get(target, name, receiver)
  },
})

/**
 * Loaded before a process (`--import`): its wall clock is off by CLOCK_SHIFT_MS, ahead where that is positive. The monotonic
 * clock is as it was, as with a machine whose time was never set.
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

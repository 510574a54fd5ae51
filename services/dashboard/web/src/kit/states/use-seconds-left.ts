import { useEffect, useState } from 'react'
import { errorKindOf } from './error-kind.ts'

/** The seconds that the server asked to wait with this error, counted down; 0 when there is nothing to wait for. */
export function useSecondsLeft(error: unknown): number {
  const kind = errorKindOf(error)
  const seconds = kind.kind === 'too-many' ? (kind.seconds ?? 0) : 0
  const [counted, setCounted] = useState({ error, passed: 0 })
  const passed = counted.error === error ? counted.passed : 0
  useEffect(() => {
    if (passed >= seconds) return
    const timer = setTimeout(() => setCounted({ error, passed: passed + 1 }), 1_000)
    return () => clearTimeout(timer)
  }, [error, seconds, passed])
  return Math.max(0, seconds - passed)
}

/** `9 min 48 s` */
export function waitText(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

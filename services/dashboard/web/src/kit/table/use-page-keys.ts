import { type RefObject, useEffect } from 'react'

const pageKeys = ['PageDown', 'PageUp']

/** Keys that scroll by pages move a list that scrolls in itself, also when nothing on the page has the focus. */
export function usePageKeys(box: RefObject<HTMLElement | null>, isEnabled: boolean): void {
  useEffect(() => {
    if (!isEnabled) return
    const onKey = ({ key }: KeyboardEvent) => {
      if (!pageKeys.includes(key) || document.activeElement !== document.body) return
      box.current?.focus({ preventScroll: true })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [box, isEnabled])
}

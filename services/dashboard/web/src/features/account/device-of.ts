const browsers = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\bChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const
const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
] as const

/** Browser and system in words, as far as a user agent says them. */
export function deviceOf(userAgent: string | null): string {
  const nameIn = (list: readonly (readonly [RegExp, string])[]) =>
    list.find(([mark]) => mark.test(userAgent ?? ''))?.[1]
  const parts = [nameIn(browsers), nameIn(systems)].filter((part) => part !== undefined)
  return parts.length === 0 ? 'Unknown device' : parts.join(' on ')
}

import { stopHost } from './setup.ts'

export { stopHost as 'module.exports' }

// Entry point of every `npm` script. It runs on the machine's own Node before anything is installed, so it has no
// dependency, and only syntax that an old Node can parse.
const major = Number(process.versions.node.split('.')[0])

if (major < 18) {
  console.error(
    `✗ Node ${process.versions.node} is too old. Install Node 18 or newer; everything else is downloaded for you.`,
  )
  process.exitCode = 1
} else {
  import('./bootstrap.mjs').then(({ bootstrap }) => bootstrap(process.argv.slice(2)))
}

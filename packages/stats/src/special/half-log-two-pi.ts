/** Half of ln 2π. */
export const HALF_LOG_TWO_PI = 0.5 * Math.log(2 * Math.PI)

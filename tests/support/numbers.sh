# For scripts between a launcher and a PE: `pe` is the PE's number and `n_pes` how many there are, whoever has started it.
# shellcheck shell=sh disable=SC2034  # who sources it reads them
pe=${WEFT_PE:-${OMPI_COMM_WORLD_RANK:-${SLURM_PROCID:-$PMI_RANK}}}
n_pes=${WEFT_NPES:-${OMPI_COMM_WORLD_SIZE:-${SLURM_NTASKS:-$PMI_SIZE}}}

#!/bin/sh
# Computes an experiment in parts with GNU parallel, as many at a time as there are
# processors, and then makes its tables and the page. A part that fails or is killed is made
# up for by the last command, which computes all that is missing.
#
#	sh parallel.sh EXPERIMENT|FILE.yaml PARTS [FLAGS]
#
# The flags are those of bench run. GNU parallel numbers the parts from 1 ({#}) and counts
# them ({##}); --sshloginfile has it use other machines, which share this folder.
set -eu
experiment=$1 parts=$2
shift 2
parallel --will-cite --plus -N0 --quote bench run "$experiment" "$@" --workers 1 --shard '{#}/{##}' ::: $(seq "$parts") || true
exec bench run "$experiment" "$@"

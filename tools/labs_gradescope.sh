#!/bin/sh
# `make gradescope LAB=02`: build/gradescope-02.zip, to be uploaded at Gradescope as the autograder of a programming assignment.
# Students upload the files of exercises/02-... (mlp.c, ...), nothing else. The project in the zip is a handout: the tests need no
# solutions, so an #include in a student's file finds none. setup.sh and run_autograder lie at the root of the zip.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/labs_lib.sh
lab=$(lab_number "${LAB:-}")
[ -n "$lab" ] || usage "which lab? make gradescope LAB=02; there are $(labs_all)"
lab_must_exist "$lab"
command -v zip >/dev/null 2>&1 || { echo "gradescope: the program zip is missing; install it (apt-get install zip)" >&2; exit 1; }

case $BUILD in /*) work=$BUILD/gradescope ;; *) work=$(pwd)/$BUILD/gradescope ;; esac
archive=${work%/*}/gradescope-$lab.zip
rm -rf "$work" "$archive" && mkdir -p "$work" || exit 1
BUILD=$work LABS=$(labs_all) sh tools/labs_handout.sh >"$work/log" || { cat "$work/log" >&2; exit 1; }
tar -xzf "$work"/rungs-labs-*.tar.gz -C "$work" && rm "$work"/*.tar.gz "$work/log" && mv "$work"/rungs-labs-* "$work/rungs" || exit 1

# Without MPI it starts faster, and is built faster without the emulator; but some labs are about them.
mpi=0 emulator=0 packages=
references=$(lab_references "$lab")
case $references in mpi/* | *"
mpi/"*) mpi=1 packages=' libopenmpi-dev openmpi-bin' ;; esac
case $references in *.cu*) emulator=1 packages="$packages g++" ;; esac

# Gradescope runs this once, as root, when the image is made: programs are installed and the project is built, so that grading a
# submission takes seconds. It runs on another processor each time: FAT=1 builds for several, and takes the widest that runs there.
cat >"$work/setup.sh" <<END
#!/bin/sh
set -e
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends gcc make pkg-config libc6-dev check libcjson-dev zlib1g-dev$packages
cd /autograder/source/rungs
make -j2 FAT=1 lab-variants MPI=$mpi EMULATOR=$emulator
END
cat >"$work/run_autograder" <<END
#!/bin/sh
# What goes wrong before the first test must leave a results.json too.
mkdir -p /autograder/results
cd /autograder/source/rungs || exit 1
export OMP_NUM_THREADS=2
export GRADE_UID=65534 # the tests run as nobody: they cannot write results.json, nor stop the grader
make -s FAT=1 grade LAB=$lab FROM=/autograder/submission JSON=/autograder/results/results.json MPI=$mpi EMULATOR=$emulator 2>&1
[ -s /autograder/results/results.json ] ||
    echo '{"score": 0, "output": "The autograder itself failed: please tell your teacher."}' >/autograder/results/results.json
exit 0
END
chmod +x "$work/setup.sh" "$work/run_autograder"
(cd "$work" && zip -qry "$archive" .) && rm -rf "$work" || exit 1
echo "$archive: the autograder of lab $lab; students upload $(lab_files "$lab")"
